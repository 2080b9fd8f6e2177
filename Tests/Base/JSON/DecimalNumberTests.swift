import TensorIOTestSupport
import Testing

@testable import TensorIOJSON

@Suite struct DecimalNumberTests {
  private func decimal(_ text: String) -> DecimalNumber {
    let bytes = Array(text.utf8)
    return DecimalNumber(bytes, bytes.indices)
  }

  @Test(arguments: [
    "0", "-0", "0.0", "1", "0.1", "-3.5", "1e22", "1e23", "9007199254740993", "9007199254740992.5",
    "0.30000000000000004", "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
    "2.2250738585072014e-308", "2.2250738585072011e-308", "1.7976931348623157e308",
    "123456789012345678901234567890",
    "8.5", "16777217", "16777216.999999999", "16777217.000000001", "1.17549435e-38",
    "1.1754943e-38",
    "1.4e-45", "7.006492321624085e-46", "7.0064923216240861e-46", "3.4028235e38", "3.4028236e38",
    "0.000000000000000000000000000000000000000000000000000000000001", "1e-60", "12345e-70", "5e-55",
    "1000000000000000000000000000000000000000000000000000001",
  ])
  func `A decimal becomes the nearest number`(text: String) throws {
    let double = try #require(Double(text))
    let float = try #require(Float(text))
    #expect(decimal(text).double.bitPattern == double.bitPattern)
    #expect(decimal(text).float.bitPattern == float.bitPattern)
  }

  @Test func `Random decimals become the nearest numbers`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<50_000 {
      let digits = String(
        UInt64.random(in: .min ... .max, using: &random)
          >> UInt64.random(in: 0...60, using: &random))
      let text = digits + "e\(Int.random(in: -75...60, using: &random))"
      #expect(decimal(text).double == Double(text), "\(text)")
      #expect(decimal(text).float == Float(text), "\(text)")
    }
  }

  @Test func `Every printed number reads back as itself`() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<50_000 {
      let double = Double(bitPattern: .random(in: .min ... .max, using: &random))
      if double.isFinite { #expect(decimal("\(double)").double == double) }
      let float = Float(bitPattern: .random(in: .min ... .max, using: &random))
      if float.isFinite { #expect(decimal("\(float)").float == float) }
    }
  }

  @Test func `Digits beyond the significand decide ties`() {
    let tie = "9007199254740992.5"
    let zeros = String(repeating: "0", count: 1000)
    #expect(decimal("9007199254740993" + ".").double == 9_007_199_254_740_992)
    #expect(decimal(tie + zeros).double == 9_007_199_254_740_992)
    #expect(decimal("9007199254740993.0" + zeros + "1").double == 9_007_199_254_740_994)
  }

  @Test func `A number may have a million digits`() {
    let long = "0." + String(repeating: "3", count: 1_000_000)
    #expect(decimal(long).double == 1.0 / 3)
    let huge = "0." + String(repeating: "0", count: 1_000_000) + "1e1000001"
    #expect(decimal(huge).double == 1)
  }
}
