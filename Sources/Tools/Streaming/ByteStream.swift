import Synchronization
package import TensorIOCore

/// A source of bytes.
package protocol ByteStream: Sendable {
  /// Returns up to `count` of the next bytes, and no bytes at the end of the stream.
  ///
  /// With `waitForAll`, returns fewer bytes than `count` only if the stream ends before.
  func readBytes(upTo count: Int, waitForAll: Bool) throws(OperationError) -> [UInt8]
}

/// A stream of bytes in memory.
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

/// A stream whose first bytes were read ahead.
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
