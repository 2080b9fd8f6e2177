/// Names for requests: the client's own, or one that is given only once.
struct RequestIDs {
  private let prefix = UInt32.random(in: 0 ... .max)
  private var count: UInt64 = 0

  private static let longest = 64

  /// The name of a request; one that the client gave is taken over when it fits into a log.
  mutating func name(for headers: HTTPHeaders?) -> String {
    if let wish = headers?["X-Request-Id"], Self.isSane(wish) { return wish }
    count += 1
    return String(prefix, radix: 16) + "-" + String(count, radix: 16)
  }

  private static func isSane(_ name: String) -> Bool {
    (1...longest).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }
  }
}
