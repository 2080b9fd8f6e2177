/// What a request may be.
package enum ServerLimits {
  /// The bytes of a request's first line.
  package static let lineBytes = 8 << 10
  /// The bytes of a head, with its first line.
  package static let headBytes = 16 << 10
  /// The fields of a head.
  package static let fields = 100
  /// The bytes of the line before a chunk.
  package static let chunkLineBytes = 256
  /// The bytes of a body.
  package static let bodyBytes = 64 << 20
  /// The bytes of a body of JSON.
  package static let jsonBytes = 8 << 20
  /// The connections at one time; the next ones wait until one of these has ended.
  package static let connections = 10_000
}
