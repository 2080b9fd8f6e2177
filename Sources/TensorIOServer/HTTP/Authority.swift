/// Whom a client believes to talk to: a host, perhaps with a port.
struct Authority: Sendable, Hashable {
  /// In small letters; an address of IPv6 with its brackets.
  let host: String
  let port: Int?

  init?(_ text: String) {
    let bytes = Array(text.lowercased().utf8)[...]
    let end = bytes.first == UInt8(ascii: "[") ? bytes.firstIndex(of: UInt8(ascii: "]")) : nil
    let colon = bytes[(end ?? 0)...].firstIndex(of: .colon) ?? bytes.endIndex
    let host = bytes[..<colon]
    guard Self.isName(host) || Self.isBracketed(host) else { return nil }
    self.host = host.text
    let digits = bytes[colon...].dropFirst()
    port = Int(digits.text)
    guard digits.isEmpty || digits.allSatisfy(\.isDigit) && (port ?? 65536) < 65536 else {
      return nil
    }
  }

  /// Whether it is an address, which no name service had to be asked for.
  var isAddress: Bool {
    let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return host.hasPrefix("[")
      || parts.count == 4 && parts.allSatisfy { UInt8(String($0) ?? "") != nil }
  }

  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy { $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }
  }

  private static func isBracketed(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count > 3, bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else {
      return false
    }
    let address = bytes.dropFirst().dropLast()
    return address.filter { $0 == .colon }.count > 1
      && address.allSatisfy { $0.hexadecimalDigit != nil || ":.".utf8.contains($0) }
  }
}
