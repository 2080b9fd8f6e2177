internal import TensorIOCore

/// Strings as TensorFlow Lite packs them into one tensor: how many there are, where each begins
/// and the last ends, and their bytes, with all numbers in four bytes.
enum PackedStrings {
  /// More bytes than this are not packed into one tensor.
  static let byteLimit = 1 << 30
  private static let word = MemoryLayout<Int32>.size

  /// How many bytes strings take when they are packed; `nil` when those are too many.
  static func byteCount(of strings: [[UInt8]]) -> Int? {
    let count = strings.reduce(word * (strings.count + 2)) { $0 + $1.count }
    return count <= byteLimit ? count : nil
  }

  /// Packs strings into memory that holds them.
  static func pack(_ strings: [[UInt8]], into memory: UnsafeMutableRawBufferPointer) {
    var place = word * (strings.count + 2)
    unsafe store(strings.count, at: 0, in: memory)
    unsafe store(place, at: 1, in: memory)
    for (index, string) in strings.enumerated() {
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory[place..<place + string.count])
        .copyBytes(from: string)
      place += string.count
      unsafe store(place, at: index + 2, in: memory)
    }
  }

  private static func store(
    _ number: Int, at index: Int, in memory: UnsafeMutableRawBufferPointer
  ) {
    unsafe memory.storeBytes(
      of: Int32(clamping: number), toByteOffset: index * word, as: Int32.self)
  }

  /// The strings in memory, or `nil` when the numbers in it lead out of it.
  static func unpack(_ memory: UnsafeRawBufferPointer) -> [[UInt8]]? {
    guard let count = unsafe number(at: 0, in: memory), count >= 0,
      count <= memory.count / word - 2, var start = unsafe number(at: 1, in: memory)
    else { return nil }
    var strings: [[UInt8]] = []
    strings.reserveCapacity(count)
    for index in 0..<count {
      guard let end = unsafe number(at: index + 2, in: memory), start >= 0, start <= end,
        end <= memory.count
      else { return nil }
      unsafe strings.append(Array(memory[start..<end]))
      start = end
    }
    return strings
  }

  private static func number(at index: Int, in memory: UnsafeRawBufferPointer) -> Int? {
    guard (index + 1) * word <= memory.count else { return nil }
    return unsafe Int(memory.loadUnaligned(fromByteOffset: index * word, as: Int32.self))
  }
}
