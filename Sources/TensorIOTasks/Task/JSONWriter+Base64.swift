import TensorIOJSON

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension JSONWriter {
  /// Writes bytes as a string in Base64.
  mutating func value(base64 bytes: [UInt8]) { value(Data(bytes).base64EncodedString()) }

  /// Writes a member with bytes as a string in Base64.
  mutating func member(_ name: String, base64 bytes: [UInt8]) {
    key(name)
    value(base64: bytes)
  }
}
