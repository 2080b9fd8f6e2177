import Synchronization
package import TensorIOCore

/// Bytes that come one after the other.
package protocol ByteStream: Sendable {
  /// The next bytes: some, or all that are wanted unless the stream ends before; none at its end.
  func readBytes(upTo count: Int, waitForAll: Bool) throws(OperationError) -> [UInt8]
}

/// Bytes that have all come already.
package final class InMemoryStream: ByteStream {
  private let remaining: Mutex<ArraySlice<UInt8>>

  package init(_ bytes: [UInt8]) {
    remaining = Mutex(bytes[...])
  }

  package func readBytes(upTo count: Int, waitForAll: Bool) -> [UInt8] {
    remaining.withLock { rest in
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
  }
}

/// Bytes of which somebody has looked at the first.
package struct PeekedStream: ByteStream {
  package let prefix: [UInt8]
  private let buffered: InMemoryStream
  private let source: any ByteStream

  package init(_ stream: any ByteStream, peeking count: Int) throws(OperationError) {
    prefix = try stream.readBytes(upTo: count, waitForAll: true)
    buffered = InMemoryStream(prefix)
    source = stream
  }

  package func readBytes(upTo count: Int, waitForAll: Bool) throws(OperationError) -> [UInt8] {
    let first = buffered.readBytes(upTo: count, waitForAll: waitForAll)
    guard first.isEmpty || (waitForAll && first.count < count) else { return first }
    return first + (try source.readBytes(upTo: count - first.count, waitForAll: waitForAll))
  }
}
