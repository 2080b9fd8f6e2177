import TensorIOBundle
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A model's file, read once and kept where the runtime can use it in place.
///
/// LiteRT checks a model only when it is given one in memory, and then goes on reading from that
/// memory, which must therefore stay where it is, and be aligned as the tensors in it ask.
@safe final class ModelBytes: @unchecked Sendable {  // written by the initialisers only
  let memory: UnsafeRawBufferPointer
  /// Which file they are; `nil` where they are none's, or it changed while it was read.
  let identity: FileIdentity?

  /// The longest file that is read: LiteRT verifies none that is longer.
  static let maxByteCount = 1_999_999_999
  private static let alignment = 64

  init(_ bytes: [UInt8]) throws(ModelError) {
    do throws(FileError) {
      let memory = try unsafe Self.allocate(bytes.count)
      unsafe memory.copyBytes(from: bytes)
      unsafe self.memory = UnsafeRawBufferPointer(memory)
      identity = nil
    } catch {
      throw ModelError(.bundle, error.reason(named: "model"))
    }
  }

  init(_ file: ModelFile) throws(ModelError) {
    do throws(FileError) {
      let before = FileIdentity(file.path)
      unsafe memory = UnsafeRawBufferPointer(try Self.load(file.path))
      identity = FileIdentity(file.path) == before ? before : nil
    } catch {
      throw ModelError(.bundle, error.reason(named: file.name), file: file.path)
    }
    try file.verify(digest)
  }

  deinit {
    unsafe memory.deallocate()
  }

  /// The bytes' digest.
  var digest: [UInt8] { unsafe SHA256.digest(of: memory) }

  /// How many there are.
  var count: Int { unsafe memory.count }

  private static func load(_ path: String) throws(FileError) -> UnsafeMutableRawBufferPointer {
    let file = try ReadableFile(path)
    let count = file.byteCount ?? 0
    let memory = try unsafe allocate(count)
    do throws(FileError) {
      guard try unsafe file.read(into: memory) == count else { throw .truncated }
      return unsafe memory
    } catch {
      unsafe memory.deallocate()
      throw error
    }
  }

  private static func allocate(_ count: Int) throws(FileError) -> UnsafeMutableRawBufferPointer {
    guard count <= maxByteCount else { throw .oversized(bytes: count, limit: maxByteCount) }
    return .allocate(byteCount: count, alignment: alignment)
  }
}

extension ModelBytes {
  /// A number, lowest byte first; `nil` when it does not lie within the bytes.
  func integer<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self, at place: Int
  ) -> Number? {
    guard place >= 0, place <= count - MemoryLayout<Number>.size else { return nil }
    return unsafe Number(
      littleEndian: memory.loadUnaligned(fromByteOffset: place, as: Number.self))
  }

  /// A copy of some of the bytes; empty when they do not lie within.
  func copy(of places: Range<Int>) -> [UInt8] {
    guard places.lowerBound >= 0, places.upperBound <= count else { return [] }
    return unsafe Array(memory[places])
  }
}

extension Data {
  /// A copy of memory that is only lent.
  init(copying memory: RawSpan) {
    self = unsafe memory.withUnsafeBytes { unsafe Data($0) }
  }
}

extension MutableRawSpan {
  /// Takes on bytes of the same number.
  mutating func copyBytes(from data: Data) {
    unsafe withUnsafeMutableBytes { unsafe $0.copyBytes(from: data) }
  }
}
