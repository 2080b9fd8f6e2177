internal import TensorIOCore
internal import TensorIOSystem

/// A model's file, read once and kept where the runtime can use it in place.
///
/// LiteRT checks a model only when it is given one in memory, and then goes on reading from that
/// memory, which must therefore stay where it is, and be aligned as the tensors in it ask.
@safe final class ModelBytes: @unchecked Sendable {  // written by the initialisers only
  let memory: UnsafeRawBufferPointer
  /// Which file they are; `nil` where they are none's, or it changed while it was read.
  let identity: FileIdentity?

  /// The longest file that is read: LiteRT verifies none that is longer.
  static let limit = 1_999_999_999
  private static let alignment = 64

  init(_ bytes: [UInt8]) throws(ModelError) {
    do throws(FileFault) {
      let memory = try unsafe Self.allocate(bytes.count)
      unsafe memory.copyBytes(from: bytes)
      unsafe self.memory = UnsafeRawBufferPointer(memory)
      identity = nil
    } catch {
      throw ModelError(.bundle, error.reason(named: "model"))
    }
  }

  init(_ file: ModelFile) throws(ModelError) {
    do throws(FileFault) {
      let before = FileIdentity(file.path)
      unsafe memory = UnsafeRawBufferPointer(try Self.load(file.path))
      identity = FileIdentity(file.path) == before ? before : nil
    } catch {
      throw ModelError(.bundle, error.reason(named: file.name), file: file.path)
    }
    try file.check(digest)
  }

  deinit {
    unsafe memory.deallocate()
  }

  /// The bytes' digest.
  var digest: [UInt8] { unsafe SHA256.digest(of: memory) }

  /// How many there are.
  var count: Int { unsafe memory.count }

  private static func load(_ path: String) throws(FileFault) -> UnsafeMutableRawBufferPointer {
    let file = try ReadableFile(path)
    let count = file.byteCount ?? 0
    let memory = try unsafe allocate(count)
    do throws(FileFault) {
      guard try unsafe file.read(into: memory) == count else { throw .shrank }
      return unsafe memory
    } catch {
      unsafe memory.deallocate()
      throw error
    }
  }

  private static func allocate(_ count: Int) throws(FileFault) -> UnsafeMutableRawBufferPointer {
    guard count <= limit else { throw .oversized(bytes: count, limit: limit) }
    return .allocate(byteCount: count, alignment: alignment)
  }
}
