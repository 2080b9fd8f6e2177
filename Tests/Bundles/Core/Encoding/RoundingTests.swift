import Testing

@testable import TensorIOCore

@Suite struct RoundingTests {
  @Test(
    arguments: [
      (0, 0), (0.4, 0), (0.5, 0), (0.50000006, 1), (0.6, 1), (1, 1), (1.5, 1), (2.5, 2), (2.51, 3),
      (127.5, 127), (254.5, 254), (254.6, 255), (255, 255), (-0.4, 0), (-0.49999997, 0),
      (-0.5, -1), (-0.6, -1), (-1.5, -2), (-2.5, -3), (8_388_609, 8_388_609),
      (-8_388_609, -8_388_609), (16_777_215, 16_777_215), (0.49999997, 0),
      (.leastNonzeroMagnitude, 0),
    ] as [(Float, Int)])
  func `The nearest integer is stored, and halves are rounded down`(number: Float, stored: Int) {
    #expect(Int32(saturating: number) == Int32(stored))
    #expect(Int64(saturating: number) == Int64(stored))
    #expect(Double(number).roundedHalfDown == Double(stored))
  }

  private func clamps<Integer: FixedWidthInteger>(_ type: Integer.Type) {
    #expect(Integer(saturating: .infinity) == .max)
    #expect(Integer(saturating: -.infinity) == .min)
    #expect(Integer(saturating: .greatestFiniteMagnitude) == .max)
    #expect(Integer(saturating: -.greatestFiniteMagnitude) == .min)
    #expect(Integer(saturating: .nan) == 0)
    // If the largest integer is not a float, converting the adjacent floats could trap.
    for extreme in [Float(Integer.max), Float(Integer.min)] {
      for number in [extreme.nextDown, extreme, extreme.nextUp] {
        let stored = Integer(saturating: number)
        #expect(
          abs(Float(stored) - number) <= max(1, extreme.ulp), "\(number) is stored as \(stored)")
      }
    }
  }

  @Test func `Numbers out of range are clamped, and NaN becomes zero`() {
    clamps(UInt8.self)
    clamps(Int8.self)
    clamps(Int16.self)
    clamps(UInt16.self)
    clamps(Int32.self)
    clamps(UInt32.self)
    clamps(Int64.self)
    clamps(UInt64.self)
  }
}
