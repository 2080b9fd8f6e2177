import TensorIOBundle
import TensorIOCore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension [UInt8] {
  /// The bytes in Base64.
  package var base64: String { Data(self).base64EncodedString() }

  /// Creates the bytes that a text in Base64 stands for; `nil` if it is not valid.
  package init?(base64 text: String) {
    guard let data = Data(base64Encoded: text) else { return nil }
    self.init(data)
  }

  /// The bytes as `base64:…`, which inputs accept too.
  var base64Text: String { ModelBundle.base64Prefix + base64 }

  /// The bytes as text, or as `base64:…` if they are not UTF-8 or begin like that.
  var base64UnlessText: String {
    guard let text = String(validating: self, as: UTF8.self),
      !text.hasPrefix(ModelBundle.base64Prefix)
    else { return base64Text }
    return text
  }
}
