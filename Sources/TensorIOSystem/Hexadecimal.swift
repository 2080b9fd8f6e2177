extension UInt8 {
  /// The byte as two digits.
  package var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}

extension Sequence<UInt8> {
  /// Two digits for each byte.
  package var hexadecimal: String { map(\.hexadecimal).joined() }
}
