/// An IPv4 or IPv6 address.
struct IPAddress: Sendable, Hashable {
  /// The 4 or 16 bytes of the address.
  private let bytes: [UInt8]

  /// Creates an address from its bytes; `nil` if they are neither 4 nor 16.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The address as text, without brackets.
  var text: String {
    guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
    return stride(from: 0, to: 16, by: 2).map { index in
      String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
    }.joined(separator: ":")
  }

  /// Whether the address is one of the public internet: not of this machine, its network, or for a special purpose.
  var isPublic: Bool {
    let prefixes = bytes.count == 4 ? Self.special4 : Self.special6
    guard !prefixes.contains(where: { $0.contains(bytes) }) else { return false }
    guard let embedded else { return true }
    return embedded.isPublic
  }

  /// The IPv4 address to which an IPv6 address is translated; `nil` for others.
  private var embedded: IPAddress? {
    guard bytes.count == 16 else { return nil }
    for (prefix, start) in Self.translated where prefix.contains(bytes) {
      return IPAddress(Array(bytes[start..<(start + 4)]))
    }
    return nil
  }

  /// The addresses that begin with some bits.
  private struct Prefix {
    let bytes: [UInt8]
    let bitCount: Int

    init(_ bytes: [UInt8], _ bitCount: Int) { (self.bytes, self.bitCount) = (bytes, bitCount) }

    func contains(_ address: [UInt8]) -> Bool {
      (0..<bitCount).allSatisfy { bit in
        let mask = UInt8(0x80) >> (bit % 8)
        let byte = bytes.indices.contains(bit / 8) ? bytes[bit / 8] : 0
        return address[bit / 8] & mask == byte & mask
      }
    }
  }

  /// The special-purpose addresses of RFC 6890, and multicast.
  private static let special4 = [
    Prefix([0], 8), Prefix([10], 8), Prefix([100, 64], 10), Prefix([127], 8),
    Prefix([169, 254], 16),
    Prefix([172, 16], 12), Prefix([192, 0, 0], 24), Prefix([192, 0, 2], 24),
    Prefix([192, 88, 99], 24),
    Prefix([192, 168], 16), Prefix([198, 18], 15), Prefix([198, 51, 100], 24),
    Prefix([203, 0, 113], 24), Prefix([224], 4), Prefix([240], 4),
  ]
  private static let special6 = [
    Prefix([], 96),  // unspecified, loopback and IPv4-compatible
    Prefix([0x01], 64), Prefix([0x20, 0x01, 0x0D, 0xB8], 32), Prefix([0x20, 0x01, 0, 0], 32),
    Prefix([0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01], 48), Prefix([0xFC], 7), Prefix([0xFE, 0x80], 10),
    Prefix([0xFE, 0xC0], 10), Prefix([0xFF], 8),
  ]
  /// The addresses with an IPv4 address in them, and the position of that: mapped, translated and 6to4.
  private static let translated = [
    (Prefix([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96), 12),
    (Prefix([0x00, 0x64, 0xFF, 0x9B], 96), 12), (Prefix([0x20, 0x02], 16), 2),
  ]
}
