import CONNX
import Dispatch
import Synchronization
import TensorIOSystem

/// The contents of a file that was verified, for a function that reads a path.
///
/// A file can be changed or replaced after it was verified. A thread reads it again and sends the contents through a
/// pipe, but the last of them only if all have the fingerprint of those that were verified. Otherwise bytes follow that
/// no protobuf message can end with, until the function gives up.
final class VerifiedFileStream: Sendable {
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
    /// All contents, which have the fingerprint.
    case complete
    /// Contents that are not those that were verified, or invalid bytes in place of the last of them.
    case changed
    /// A part of the contents, because the function stopped.
    case abandoned
  }

  private let path: String
  private let fingerprint: ContentFingerprint
  private let writer: CInt
  private let outcome = Mutex(Outcome.abandoned)
  private let hasEnded = DispatchSemaphore(value: 0)

  private init(_ path: String, _ fingerprint: ContentFingerprint, _ writer: CInt) {
    (self.path, self.fingerprint, self.writer) = (path, fingerprint, writer)
  }

  /// Calls a function with a path from which it can read the contents of a file once.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - fingerprint: The fingerprint of the contents.
  ///   - body: The function.
  /// - Returns: What the function has read.
  /// - Throws: `FileError` if there is no descriptor or thread; the function has not been called.
  static func read(
    _ path: String, _ fingerprint: ContentFingerprint, _ body: (_ path: String) -> Void
  ) throws(FileError) -> Outcome {
    var ends: [CInt] = [-1, -1]
    guard unsafe connx_pipe(&ends) == 0 else { throw .system(errno) }
    let stream = VerifiedFileStream(path, fingerprint, ends[1])
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

  /// Sends the contents, without the last of them if they do not have the fingerprint.
  private func sendContents() throws(FileError) -> Outcome {
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
