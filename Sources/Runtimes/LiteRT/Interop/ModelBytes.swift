import TensorIOBundle
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The contents of a model file at a fixed, aligned address.
///
/// LiteRT verifies only models that are passed in memory, and reads from that memory as long as the
/// model is loaded. The memory must not move and must be aligned for the tensors in it.
///
/// The bytes change only during ``withZeros(at:_:)``, which is called before other threads have
/// access to a value of this type.
@safe final class ModelBytes: @unchecked Sendable {
  private let writableMemory: UnsafeMutableRawBufferPointer
  /// The mapping that owns the memory; `nil` if it was allocated.
  private let mapping: FileMapping?
  /// The identity of the file, or `nil` if there is no file or it changed while it was read.
  let identity: FileIdentity?

  /// The maximum file size; LiteRT does not verify larger ones.
  static let maxByteCount = 1_999_999_999
  private static let alignment = 64

  init(_ bytes: [UInt8]) throws(ModelError) {
    do throws(FileError) {
      let memory = try unsafe Self.allocate(bytes.count)
      unsafe memory.copyBytes(from: bytes)
      unsafe writableMemory = memory
      (identity, mapping) = (nil, nil)
    } catch {
      throw ModelError(.bundle, error.reason(named: "model"))
    }
  }

  /// Copies a model behind new bytes.
  init(_ new: [UInt8], followedBy model: ModelBytes) throws(ModelError) {
    do throws(FileError) {
      let memory = try unsafe Self.allocate(new.count + model.count)
      unsafe memory.copyBytes(from: new)
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory[new.count...])
        .copyMemory(from: model.memory)
      unsafe writableMemory = memory
      (identity, mapping) = (nil, nil)
    } catch {
      throw ModelError(.bundle, error.reason(named: "model"))
    }
  }

  /// Uses memory that is shared with other processes.
  init(_ mapping: FileMapping) throws(ModelError) {
    let count = unsafe mapping.memory.count
    guard count <= Self.maxByteCount else {
      let error = FileError.oversized(bytes: count, limit: Self.maxByteCount)
      throw ModelError(.bundle, error.reason(named: "model"))
    }
    unsafe writableMemory = mapping.memory
    self.mapping = mapping
    identity = nil
  }

  init(_ file: ModelFile) throws(ModelError) {
    mapping = nil
    do throws(FileError) {
      let before = FileIdentity(file.path)
      unsafe writableMemory = try Self.load(file.path)
      identity = FileIdentity(file.path) == before ? before : nil
    } catch {
      throw ModelError(.bundle, error.reason(named: file.name), file: file.path)
    }
    try file.verify(digest)
  }

  deinit {
    if mapping == nil { unsafe writableMemory.deallocate() }
  }

  /// The bytes.
  var memory: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(writableMemory) }

  /// The SHA-256 digest.
  var digest: [UInt8] { unsafe SHA256.digest(of: memory) }

  /// The number of bytes.
  var count: Int { unsafe memory.count }

  /// Calls `body` while the bytes in some ranges are zero.
  func withZeros<Result, Failure: Error>(
    at ranges: [Range<Int>], _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let values = ranges.map { copy(of: $0) }
    // Ranges may overlap, so the original bytes are read before any of them is changed.
    for range in ranges { set(range, to: Array(repeating: 0, count: range.count)) }
    defer { for (range, bytes) in zip(ranges, values) { set(range, to: bytes) } }
    return try body()
  }

  private func set(_ range: Range<Int>, to bytes: [UInt8]) {
    unsafe UnsafeMutableRawBufferPointer(rebasing: writableMemory[range]).copyBytes(from: bytes)
  }

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
  /// Returns a little-endian integer, or `nil` if it is out of bounds.
  func integer<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self, at offset: Int
  ) -> Number? {
    guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
    return unsafe Number(
      littleEndian: memory.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// Returns a copy of a range of bytes, or an empty array if it is out of bounds.
  func copy(of range: Range<Int>) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= count else { return [] }
    return unsafe Array(memory[range])
  }
}

extension Data {
  /// Copies the bytes of a span.
  init(copying memory: RawSpan) {
    self = unsafe memory.withUnsafeBytes { unsafe Data($0) }
  }
}

extension MutableRawSpan {
  /// Copies `data`, whose byte count must equal the span's.
  mutating func copyBytes(from data: Data) {
    unsafe withUnsafeMutableBytes { unsafe $0.copyBytes(from: data) }
  }
}

extension RawSpan {
  /// A copy of the bytes.
  var copiedBytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}

extension MutableRawSpan {
  /// Copies bytes, whose count must equal the span's.
  mutating func copyBytes(from bytes: [UInt8]) {
    unsafe withUnsafeMutableBytes { unsafe $0.copyBytes(from: bytes) }
  }
}
