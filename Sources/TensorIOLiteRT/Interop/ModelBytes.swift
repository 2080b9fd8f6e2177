internal import TensorIOCore

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A model's file, read once and kept where the runtime can use it in place.
///
/// LiteRT checks a model only when it is given one in memory, and then goes on reading from that
/// memory, which must therefore stay where it is, and be aligned as the tensors in it ask.
@safe final class ModelBytes: @unchecked Sendable {  // written by the initialisers only
  let memory: UnsafeRawBufferPointer

  /// The longest file that is read; offsets in a flatbuffer end here.
  static let limit = 2 << 30
  private static let alignment = 64

  init(_ bytes: [UInt8]) throws(ModelError) {
    let memory = try unsafe Self.allocate(bytes.count, name: "model")
    unsafe memory.copyBytes(from: bytes)
    unsafe self.memory = UnsafeRawBufferPointer(memory)
  }

  init(_ file: ModelFile) throws(ModelError) {
    let descriptor = try Self.descriptor(of: file)
    defer { close(descriptor) }
    let count = try Self.length(of: descriptor, file)
    let memory = try unsafe Self.allocate(count, name: file.name)
    do {
      try unsafe Self.load(memory, from: descriptor, file)
    } catch {
      unsafe memory.deallocate()
      throw error
    }
    unsafe self.memory = UnsafeRawBufferPointer(memory)
  }

  deinit {
    unsafe memory.deallocate()
  }

  private static func allocate(
    _ count: Int, name: String
  ) throws(ModelError) -> UnsafeMutableRawBufferPointer {
    guard count <= limit else {
      throw ModelError(.bundle, .oversizedFile(name, bytes: count, limit: limit))
    }
    return .allocate(byteCount: count, alignment: alignment)
  }

  private static func descriptor(of file: ModelFile) throws(ModelError) -> CInt {
    guard !file.path.utf8.contains(0) else {
      throw ModelError(.bundle, .unsafeName(file.name), file: file.path)
    }
    // Not blocking, so that a pipe in a model's place is refused instead of waited for.
    let descriptor = unsafe open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      guard errno != ENOENT, errno != ENOTDIR else {
        throw ModelError(.bundle, .missingFile(file.name), file: file.path)
      }
      throw unreadable(file, problem: systemMessage())
    }
    return descriptor
  }

  private static func length(of descriptor: CInt, _ file: ModelFile) throws(ModelError) -> Int {
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else {
      throw unreadable(file, problem: systemMessage())
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw unreadable(file, problem: "not a file")
    }
    return Int(clamping: facts.st_size)
  }

  private static func load(
    _ memory: UnsafeMutableRawBufferPointer, from descriptor: CInt, _ file: ModelFile
  ) throws(ModelError) {
    var done = 0
    while done < memory.count {
      let count = unsafe read(
        descriptor, memory.baseAddress?.advanced(by: done), memory.count - done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw unreadable(file, problem: count < 0 ? systemMessage() : "it shrank while being read")
      }
      done += count
    }
  }

  private static func systemMessage() -> String {
    unsafe String(cString: strerror(errno))
  }

  private static func unreadable(_ file: ModelFile, problem: String) -> ModelError {
    ModelError(.bundle, .unreadableFile(file.name, problem: problem), file: file.path)
  }
}
