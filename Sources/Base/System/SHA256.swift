import CSHA256

/// The SHA-256 hash function (FIPS 180-4).
package struct SHA256 {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  private var pending: [UInt8] = []
  private var byteCount: UInt64 = 0

  private static let blockLength = 64

  /// Whether processor-specific instructions are avoided.
  private let isPortable: Bool

  /// Creates an empty hash.
  ///
  /// A portable one avoids instructions that only some processors have.
  package init(portable: Bool = false) { isPortable = portable }

  /// Returns the digest of bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.update(bytes)
    return digest.finalize()
  }

  /// Returns the digest of memory.
  package static func digest(of memory: UnsafeRawBufferPointer) -> [UInt8] {
    var digest = SHA256()
    unsafe digest.update(memory)
    return digest.finalize()
  }

  /// Adds bytes to the hash.
  package mutating func update(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  /// Adds bytes to the hash.
  package mutating func update(_ memory: UnsafeRawBufferPointer) {
    byteCount &+= UInt64(memory.count)
    var memory = unsafe memory[...]
    if !pending.isEmpty {
      let missing = unsafe min(Self.blockLength - pending.count, memory.count)
      unsafe pending.append(contentsOf: memory.prefix(missing))
      unsafe memory = memory.dropFirst(missing)
      guard pending.count == Self.blockLength else { return }
      let block = pending
      unsafe block.withUnsafeBytes { unsafe processBlocks($0) }
      pending = []
    }
    let blockBytes = unsafe memory.count / Self.blockLength * Self.blockLength
    unsafe processBlocks(UnsafeRawBufferPointer(rebasing: memory.prefix(blockBytes)))
    unsafe pending.append(contentsOf: memory.dropFirst(blockBytes))
  }

  /// Returns the digest, 32 bytes.
  package consuming func finalize() -> [UInt8] {
    let bits = byteCount &* 8
    let padding = (Self.blockLength * 2 - 9 - pending.count) % Self.blockLength
    let length = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - $0 * 8)) }
    update([0x80] + [UInt8](repeating: 0, count: padding) + length)
    return state.flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - $0 * 8)) }
    }
  }

  private mutating func processBlocks(_ memory: UnsafeRawBufferPointer) {
    let bytes = unsafe memory.assumingMemoryBound(to: UInt8.self)
    let count = bytes.count / Self.blockLength
    guard count > 0, let start = bytes.baseAddress else { return }
    if !isPortable, unsafe csha256_add_blocks(&state, start, count, Self.constants) { return }
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
      for offset in stride(from: 0, to: bytes.count, by: Self.blockLength) {
        unsafe Self.expandSchedule(schedule, from: bytes, at: offset)
        unsafe compress(schedule)
      }
    }
  }

  private static func expandSchedule(
    _ schedule: UnsafeMutableBufferPointer<UInt32>, from bytes: UnsafeBufferPointer<UInt8>,
    at start: Int
  ) {
    for index in 0..<16 {
      let offset = start + index * 4
      let high = unsafe UInt32(bytes[offset]) << 24 | UInt32(bytes[offset + 1]) << 16
      unsafe schedule[index] = high | UInt32(bytes[offset + 2]) << 8 | UInt32(bytes[offset + 3])
    }
    for index in 16..<64 {
      let (early, late) = unsafe (schedule[index - 15], schedule[index - 2])
      let first = early.rotatedRight(7) ^ early.rotatedRight(18) ^ early >> 3
      let second = late.rotatedRight(17) ^ late.rotatedRight(19) ^ late >> 10
      unsafe schedule[index] = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
    }
  }

  private mutating func compress(_ schedule: UnsafeMutableBufferPointer<UInt32>) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    unsafe Self.constants.withUnsafeBufferPointer { constants in
      for index in 0..<64 {
        let choice = e & f ^ ~e & g
        let rotatedE = e.rotatedRight(6) ^ e.rotatedRight(11) ^ e.rotatedRight(25)
        let first = unsafe h &+ rotatedE &+ choice &+ constants[index] &+ schedule[index]
        let majority = a & b ^ a & c ^ b & c
        let second = (a.rotatedRight(2) ^ a.rotatedRight(13) ^ a.rotatedRight(22)) &+ majority
        (h, g, f, e) = (g, f, e, d &+ first)
        (d, c, b, a) = (c, b, a, first &+ second)
      }
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = (2...311).filter { number in
    !(2..<number).contains { number.isMultiple(of: $0) }
  }.map { prime in
    // With 32 binary places, the root is the largest number whose cube does not exceed the prime.
    let cube = Wide(prime) << 96
    var root: Wide = 0
    for bit in (0...35).reversed() {
      let larger = root | 1 << Wide(bit)
      if larger * larger * larger <= cube { root = larger }
    }
    return UInt32(truncatingIfNeeded: root)
  }

  private typealias Wide = UInt128
}

extension UInt32 {
  fileprivate func rotatedRight(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}

extension SHA256 {
  private static let chunkSize = 1 << 18

  /// Returns the digest of a file and its size in bytes.
  package static func digest(
    ofFile path: String
  ) throws(FileError) -> (digest: [UInt8], byteCount: Int) {
    let file = try ReadableFile(path)
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 64)
    defer { unsafe chunk.deallocate() }
    var (digest, byteCount) = (SHA256(), 0)
    while true {
      let count = try unsafe file.read(into: chunk)
      unsafe digest.update(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
      byteCount += count
      if count < chunkSize { return (digest.finalize(), byteCount) }
    }
  }
}

extension UInt8 {
  /// The byte as two hexadecimal digits.
  package var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}

extension Sequence<UInt8> {
  /// The bytes in hexadecimal notation.
  package var hexadecimal: String { map(\.hexadecimal).joined() }
}
