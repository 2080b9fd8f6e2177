extension ModelBytes {
  /// A number, lowest byte first; `nil` when it does not lie within the bytes.
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
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
