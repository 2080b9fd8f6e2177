import TensorIOBundle
import TensorIOCore
import TensorIOJSON

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension JSONWriter {
  /// Writes a member with bytes as a string in Base64.
  mutating func member(_ name: String, base64 bytes: [UInt8]) {
    member(name, Data(bytes).base64EncodedString())
  }

  /// Writes bytes as `base64:…`, which inputs accept too.
  mutating func value(bytes: [UInt8]) {
    value(ModelBundle.base64Prefix + Data(bytes).base64EncodedString())
  }

  /// Writes a string as text, or as bytes if it is not UTF-8 or begins like bytes.
  mutating func value(text bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self),
      !text.hasPrefix(ModelBundle.base64Prefix)
    else { return value(bytes: bytes) }
    value(text)
  }
}
