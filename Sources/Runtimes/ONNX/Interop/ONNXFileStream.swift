import CONNX
import Dispatch
import Synchronization
import TensorIOSystem

/// The contents of a model, for a function that reads a path.
///
/// A thread sends the contents through a pipe, so that they are never in memory as a whole. If they cannot be sent as they
/// were validated, bytes follow that no protobuf message can end with, until the function gives up.
final class ONNXFileStream: Sendable {
  /// What is sent.
  enum Contents: Sendable {
    /// A file that was validated. It can be changed or replaced afterwards, so that the last bytes are only sent if all
    /// have the fingerprint.
    case file(path: String, ContentFingerprint)
    /// Parts of a model in their order.
    case parts([Part])
  }

  /// A part of a model.
  enum Part: Sendable {
    case bytes([UInt8])
    case range(Range<Int>, of: WeightFile)

    /// The number of bytes.
    var count: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .range(let range, _): range.count
      }
    }
  }

  /// Whether pipes can be created and have paths; the sandbox of worker processes prevents it.
  static let isAvailable: Bool = {
    var ends: [CInt] = [-1, -1]
    guard unsafe connx_pipe(&ends) == 0 else { return false }
    defer { for end in ends { _ = systemClose(end) } }
    let reader = unsafe open(descriptorPath(ends[0]), O_RDONLY | O_CLOEXEC)
    return reader >= 0 && systemClose(reader) == 0
  }()

  /// What a function has read.
  enum Outcome {
    /// All contents.
    case complete
    /// Contents that are not those that were validated, or invalid bytes in place of the last of them.
    case changed
    /// A part of the contents, because the function stopped.
    case abandoned
  }

  private let contents: Contents
  private let writer: CInt
  private let outcome = Mutex(Outcome.abandoned)
  private let hasEnded = DispatchSemaphore(value: 0)

  private init(_ contents: Contents, _ writer: CInt) {
    (self.contents, self.writer) = (contents, writer)
  }

  /// Calls a function with a path from which it can read the contents of a model once.
  ///
  /// - Parameters:
  ///   - contents: The contents.
  ///   - body: The function.
  /// - Returns: What the function has read.
  /// - Throws: `FileError` if there is no descriptor or thread; the function has not been called.
  static func read(
    _ contents: Contents, _ body: (_ path: String) -> Void
  ) throws(FileError) -> Outcome {
    var ends: [CInt] = [-1, -1]
    guard unsafe connx_pipe(&ends) == 0 else { throw .system(errno) }
    let stream = ONNXFileStream(contents, ends[1])
    guard PermanentThread.start(.normal, { stream.send() }) else {
      for end in ends { _ = systemClose(end) }
      throw .system(EAGAIN)
    }
    body(descriptorPath(ends[0]))
    // If the function stopped reading, this ends the thread.
    _ = systemClose(ends[0])
    stream.hasEnded.wait()
    return stream.outcome.withLock(\.self)
  }

  private static func descriptorPath(_ descriptor: CInt) -> String {
    #if canImport(Darwin)
      "/dev/fd/\(descriptor)"
    #else
      "/proc/self/fd/\(descriptor)"
    #endif
  }

  private static let chunkByteCount = 1 << 20
  /// The beginning of an integer that never ends.
  private static let invalidBytes = [UInt8](repeating: 0xFF, count: 1 << 16)

  private func send() {
    defer {
      _ = systemClose(writer)
      hasEnded.signal()
    }
    blockPipeSignal()
    let outcome = (try? sendContents()) ?? .changed
    if outcome == .changed { while write(Self.invalidBytes) {} }
    self.outcome.withLock { $0 = outcome }
  }

  private func sendContents() throws(FileError) -> Outcome {
    switch contents {
    case .file(let path, let fingerprint): return try send(path, fingerprint)
    case .parts(let parts):
      for part in parts { guard try send(part) else { return .abandoned } }
      return .complete
    }
  }

  /// Sends a part, and returns whether the reader received all of it.
  private func send(_ part: Part) throws(FileError) -> Bool {
    switch part {
    case .bytes(let bytes): return write(bytes)
    case .range(let range, let file):
      for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.chunkByteCount) {
        let end = min(start + Self.chunkByteCount, range.upperBound)
        guard write(try file.contents.bytes(in: start..<end)) else { return false }
      }
      return true
    }
  }

  /// Sends the contents of a file, without the last of them if they do not have the fingerprint.
  private func send(
    _ path: String, _ fingerprint: ContentFingerprint
  ) throws(FileError) -> Outcome {
    let file = try ReadableFile(path)
    var sent = ContentFingerprint()
    var (last, next) = ([UInt8](), [UInt8]())
    repeat {
      guard write(last) else { return .abandoned }
      last = next
      next = try chunk(of: file)
      unsafe next.withUnsafeBytes { unsafe sent.add($0) }
    } while !next.isEmpty
    guard sent == fingerprint else { return .changed }
    return write(last) ? .complete : .abandoned
  }

  private func chunk(of file: borrowing ReadableFile) throws(FileError) -> [UInt8] {
    var result = Result<Int, FileError>.success(0)
    let chunk = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkByteCount) { memory, count in
      result = Result { () throws(FileError) in
        try unsafe file.read(into: UnsafeMutableRawBufferPointer(memory))
      }
      count = (try? result.get()) ?? 0
    }
    _ = try result.get()
    return chunk
  }

  /// Writes bytes, and returns whether the reader received all of them.
  private func write(_ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { memory in
      var sent = 0
      while sent < memory.count {
        let count = unsafe systemWrite(
          writer, memory.baseAddress?.advanced(by: sent), memory.count - sent)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Blocks the signal that a write without a reader causes, in this thread, so that the write fails.
  private func blockPipeSignal() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
