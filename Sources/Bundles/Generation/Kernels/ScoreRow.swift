/// Searches in the scores of a vocabulary, 16 at a time.
enum ScoreRow {
  /// The number of scores in a block whose maximum is stored.
  static let blockLength = 64

  /// Writes the maximum of each block of scores.
  ///
  /// - Returns: Whether no score is NaN or infinity; negative infinity is allowed.
  static func writeMaxima(of scores: Span<Float>, to maxima: inout [Float]) -> Bool {
    maxima.removeAll(keepingCapacity: true)
    var isValid = true
    let blocks = scores.count / blockLength
    unsafe scores.withUnsafeBytes { bytes in
      for block in 0..<blocks {
        let start = block * blockLength * MemoryLayout<Float>.size
        var maximum = SIMD16<Float>(repeating: -.infinity)
        var invalid = SIMDMask<SIMD16<Int32>>(repeating: false)
        for part in 0..<(blockLength / 16) {
          let values = unsafe bytes.loadUnaligned(
            fromByteOffset: start + part * MemoryLayout<SIMD16<Float>>.size,
            as: SIMD16<Float>.self)
          // NaN is not below infinity either.
          invalid = invalid .| .!(values .< .infinity)
          maximum = maximum.replacing(with: values, where: values .> maximum)
        }
        if any(invalid) { isValid = false }
        maxima.append(maximum.max())
      }
    }
    guard blocks * blockLength < scores.count else { return isValid }
    var maximum = -Float.infinity
    for index in (blocks * blockLength)..<scores.count {
      let score = scores[index]
      if !(score < .infinity) { isValid = false }
      if score > maximum { maximum = score }
    }
    maxima.append(maximum)
    return isValid
  }

  /// Copies scores into an array, which keeps its memory.
  static func copy(_ scores: Span<Float>, to row: inout [Float]) {
    row.removeAll(keepingCapacity: true)
    unsafe scores.withUnsafeBufferPointer { unsafe row.append(contentsOf: $0) }
  }

  /// Appends scores in double precision.
  static func widen(_ scores: Span<Float>, to wide: inout [Double]) {
    unsafe scores.withUnsafeBufferPointer { scores in
      unsafe wide.append(contentsOf: scores.lazy.map { Double($0) })
    }
  }

  /// Sets the scores of tokens that are not allowed to negative infinity.
  static func mask(_ row: inout [Float], with words: [UInt64]) {
    let count = row.count
    unsafe row.withUnsafeMutableBufferPointer { row in
      for (index, word) in words.enumerated() where word != .max {
        let start = index << 6
        for offset in 0..<max(0, min(64, count - start)) where word >> UInt64(offset) & 1 == 0 {
          unsafe row[start + offset] = -.infinity
        }
      }
      for index in min(words.count << 6, count)..<count { unsafe row[index] = -.infinity }
    }
  }
}
