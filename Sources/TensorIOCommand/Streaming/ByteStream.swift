import TensorIOCore
internal import Synchronization

/// Bytes that come one after the other.
protocol ByteStream: Sendable {
  /// The next bytes: some, or all that are wanted unless the stream ends before; none at its end.
  func bytes(upTo count: Int, all: Bool) throws(CommandFailure) -> [UInt8]
}

/// Bytes that have all come already.
final class WholeBytes: ByteStream {
  private let rest: Mutex<ArraySlice<UInt8>>

  init(_ bytes: [UInt8]) {
    rest = Mutex(bytes[...])
  }

  func bytes(upTo count: Int, all: Bool) -> [UInt8] {
    rest.withLock { rest in
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
  }
}

/// Bytes of which somebody has looked at the first.
struct StartedBytes: ByteStream {
  let beginning: [UInt8]
  private let looked: WholeBytes
  private let rest: any ByteStream

  init(_ stream: any ByteStream, looking count: Int) throws(CommandFailure) {
    beginning = try stream.bytes(upTo: count, all: true)
    looked = WholeBytes(beginning)
    rest = stream
  }

  func bytes(upTo count: Int, all: Bool) throws(CommandFailure) -> [UInt8] {
    let first = looked.bytes(upTo: count, all: all)
    guard first.isEmpty || (all && first.count < count) else { return first }
    return first + (try rest.bytes(upTo: count - first.count, all: all))
  }
}
