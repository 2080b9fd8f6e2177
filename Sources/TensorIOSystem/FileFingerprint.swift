/// A number by which a file's bytes are known again, as fast as they can be read.
///
/// It finds whatever happens to a file by accident, any single bit in any case. Whoever may write the
/// file can make another with the same number: against people there is ``SHA256``.
package enum FileFingerprint {
  private static let chunkBytes = 1 << 16
  private static let stepBytes = 32
  /// Odd, so that no step loses anything: the first bits of the golden ratio, and of √2, √3 and √5.
  private static let factors: [UInt64] = [
    0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b,
  ]

  /// The number of a file.
  package static func of(_ path: String) throws(FileFault) -> UInt64 {
    let file = try ReadableFile(path)
    var lanes = factors
    var byteCount = 0
    let chunk = UnsafeMutableRawBufferPointer.allocate(
      byteCount: chunkBytes, alignment: stepBytes)
    defer { unsafe chunk.deallocate() }
    while true {
      let count = try unsafe file.read(into: chunk)
      byteCount += count
      let steps = (count + stepBytes - 1) / stepBytes
      // What is behind the end of the file counts as zeros.
      for place in count..<steps * stepBytes { unsafe chunk[place] = 0 }
      unsafe add(UnsafeRawBufferPointer(chunk), steps, to: &lanes)
      if count < chunkBytes { break }
    }
    return lanes.reduce(UInt64(byteCount)) { ($0 ^ $1) &* factors[0] ^ $0 >> 32 }
  }

  private static func add(
    _ memory: UnsafeRawBufferPointer, _ steps: Int, to lanes: inout [UInt64]
  ) {
    let words = unsafe memory.assumingMemoryBound(to: UInt64.self)
    var (a, b, c, d) = (lanes[0], lanes[1], lanes[2], lanes[3])
    let (first, second, third, fourth) = (factors[0], factors[1], factors[2], factors[3])
    for step in 0..<steps {
      a = unsafe (a ^ words[4 * step]) &* first
      b = unsafe (b ^ words[4 * step + 1]) &* second
      c = unsafe (c ^ words[4 * step + 2]) &* third
      d = unsafe (d ^ words[4 * step + 3]) &* fourth
      (a, b, c, d) = (a ^ a >> 29, b ^ b >> 29, c ^ c >> 29, d ^ d >> 29)
    }
    lanes = [a, b, c, d]
  }
}
