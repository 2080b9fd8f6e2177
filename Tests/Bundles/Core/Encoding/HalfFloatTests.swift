import Testing

@testable import TensorIOCore

@Suite struct HalfFloatTests {
  /// The value of 16 bits as defined by IEEE 754; infinity counts as 2¹⁶.
  private func value(of bits: UInt16) -> Double {
    let exponent = Int(bits >> 10 & 0x1F)
    let fraction = Double(bits & 0x3FF) / 1024
    let magnitude =
      exponent == 0
      ? Double(sign: .plus, exponent: -14, significand: fraction)
      : Double(sign: .plus, exponent: exponent - 15, significand: 1 + fraction)
    return bits & 0x8000 == 0 ? magnitude : -magnitude
  }

  @Test func `Every finite half has the value defined by IEEE 754`() {
    for bits in UInt16.min...UInt16.max where bits & 0x7C00 != 0x7C00 {
      let single = HalfFloat.value(of: bits)
      #expect(Double(single) == value(of: bits))
      #expect((single.sign == .minus) == (bits & 0x8000 != 0))
    }
  }

  @Test func `Every half is preserved in a round trip`() {
    for bits in UInt16.min...UInt16.max {
      let single = HalfFloat.value(of: bits)
      guard !single.isNaN else {
        #expect(HalfFloat.value(of: HalfFloat.bits(of: single)).isNaN)
        continue
      }
      #expect(HalfFloat.bits(of: single) == bits)
    }
  }

  @Test func `Numbers are rounded to the nearest half, ties to even`() {
    for below in UInt16.min..<0x7C00 {
      let middle = Float((value(of: below) + value(of: below + 1)) / 2)
      #expect(HalfFloat.bits(of: middle) == (below % 2 == 0 ? below : below + 1))
      #expect(HalfFloat.bits(of: middle.nextDown) == below)
      #expect(HalfFloat.bits(of: middle.nextUp) == below + 1)
      #expect(HalfFloat.bits(of: -middle.nextUp) == (below + 1) | 0x8000)
    }
  }

  @Test(
    arguments: [
      (65504, 0x7BFF), (65519.996, 0x7BFF), (65520, 0x7C00), (65536, 0x7C00), (1e30, 0x7C00),
      (.infinity, 0x7C00), (-.infinity, 0xFC00), (-1e30, 0xFC00), (0, 0), (-0.0, 0x8000),
      (1e-30, 0), (.leastNonzeroMagnitude, 0), (0x1p-24, 1), (0x1p-25, 0), (0x1.8p-25, 1),
    ] as [(Float, UInt16)])
  func `Numbers out of range become infinite or zero`(number: Float, bits: UInt16) {
    #expect(HalfFloat.bits(of: number) == bits)
  }

  @Test(arguments: [Float.nan, -Float.nan, .signalingNaN, Float(bitPattern: 0x7F80_0001)])
  func `NaN remains NaN`(number: Float) {
    #expect(HalfFloat.value(of: HalfFloat.bits(of: number)).isNaN)
  }

  #if !(os(macOS) && arch(x86_64))
    @Test func `The conversion agrees with Swift's Float16`() {
      for pattern in stride(from: UInt32.min, through: .max - 9973, by: 9973) {
        let number = Float(bitPattern: pattern)
        guard !number.isNaN else { continue }
        #expect(HalfFloat.bits(of: number) == Float16(number).bitPattern, "\(number)")
      }
    }
  #endif
}
