internal import CSHA256

/// The digest of FIPS 180-4 by which bytes are known again, whoever made them.
package struct SHA256 {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  private var rest: [UInt8] = []
  private var byteCount: UInt64 = 0

  private static let blockLength = 64

  /// Whether the processor's own instructions are left alone.
  private let isPortable: Bool

  /// A digest of nothing yet; made portably, it uses no instructions that only some processors have.
  package init(portably: Bool = false) { isPortable = portably }

  /// The digest of some bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.add(bytes)
    return digest.finish()
  }

  /// The digest of memory.
  package static func digest(of memory: UnsafeRawBufferPointer) -> [UInt8] {
    var digest = SHA256()
    unsafe digest.add(memory)
    return digest.finish()
  }

  /// Takes more bytes.
  package mutating func add(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe add($0) }
  }

  /// Takes more bytes.
  package mutating func add(_ memory: UnsafeRawBufferPointer) {
    byteCount &+= UInt64(memory.count)
    var memory = unsafe memory[...]
    if !rest.isEmpty {
      let missing = unsafe min(Self.blockLength - rest.count, memory.count)
      unsafe rest.append(contentsOf: memory.prefix(missing))
      unsafe memory = memory.dropFirst(missing)
      guard rest.count == Self.blockLength else { return }
      let block = rest
      unsafe block.withUnsafeBytes { unsafe addBlocks($0) }
      rest = []
    }
    let whole = unsafe memory.count / Self.blockLength * Self.blockLength
    unsafe addBlocks(UnsafeRawBufferPointer(rebasing: memory.prefix(whole)))
    unsafe rest.append(contentsOf: memory.dropFirst(whole))
  }

  /// The digest of all bytes: 32 of them.
  package consuming func finish() -> [UInt8] {
    let bits = byteCount &* 8
    let padding = (Self.blockLength * 2 - 9 - rest.count) % Self.blockLength
    let length = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - $0 * 8)) }
    add([0x80] + [UInt8](repeating: 0, count: padding) + length)
    return state.flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - $0 * 8)) }
    }
  }

  private mutating func addBlocks(_ memory: UnsafeRawBufferPointer) {
    let bytes = unsafe memory.assumingMemoryBound(to: UInt8.self)
    let count = bytes.count / Self.blockLength
    guard count > 0, let start = bytes.baseAddress else { return }
    if !isPortable, unsafe csha256_add_blocks(&state, start, count, Self.constants) { return }
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
      for place in stride(from: 0, to: bytes.count, by: Self.blockLength) {
        unsafe Self.fill(schedule, from: bytes, at: place)
        unsafe mix(schedule)
      }
    }
  }

  private static func fill(
    _ schedule: UnsafeMutableBufferPointer<UInt32>, from bytes: UnsafeBufferPointer<UInt8>,
    at start: Int
  ) {
    for index in 0..<16 {
      let place = start + index * 4
      let high = unsafe UInt32(bytes[place]) << 24 | UInt32(bytes[place + 1]) << 16
      unsafe schedule[index] = high | UInt32(bytes[place + 2]) << 8 | UInt32(bytes[place + 3])
    }
    for index in 16..<64 {
      let (early, late) = unsafe (schedule[index - 15], schedule[index - 2])
      let first = early.turned(7) ^ early.turned(18) ^ early >> 3
      let second = late.turned(17) ^ late.turned(19) ^ late >> 10
      unsafe schedule[index] = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
    }
  }

  private mutating func mix(_ schedule: UnsafeMutableBufferPointer<UInt32>) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    unsafe Self.constants.withUnsafeBufferPointer { constants in
      for index in 0..<64 {
        let chosen = e & f ^ ~e & g
        let turnedE = e.turned(6) ^ e.turned(11) ^ e.turned(25)
        let first = unsafe h &+ turnedE &+ chosen &+ constants[index] &+ schedule[index]
        let majority = a & b ^ a & c ^ b & c
        let second = (a.turned(2) ^ a.turned(13) ^ a.turned(22)) &+ majority
        (h, g, f, e) = (g, f, e, d &+ first)
        (d, c, b, a) = (c, b, a, first &+ second)
      }
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }

  /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = (2...311).filter { number in
    !(2..<number).contains { number.isMultiple(of: $0) }
  }.map { prime in
    // The root to 32 binary places is the largest number whose cube does not exceed the prime's.
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
  fileprivate func turned(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
