import Testing

@testable import TensorIOCommand
@testable import TensorIOStreaming

@Suite struct FrameRateLimiterTests {
  /// The times that the limiter accepts.
  private func accepted(_ times: [Double], interval: Double) -> [Double] {
    var limiter = FrameRateLimiter(minInterval: interval)
    return times.filter { limiter.accepts($0) }
  }

  @Test func `Without an interval all frames are accepted`() {
    #expect(accepted([0, 0, 0.01, 5], interval: 0) == [0, 0, 0.01, 5])
  }

  @Test func `A frame that arrives too soon is dropped and does not delay the next one`() {
    #expect(accepted([0, 0.3, 0.49, 0.5, 0.9, 1.1, 9], interval: 0.5) == [0, 0.5, 1.1, 9])
  }

  @Test(arguments: [(25, 0.2, 5), (25, 0.5, 13), (30, 0.1, 3), (29.97, 0.2, 6), (10, 0.01, 1)])
  func `Every nth frame of a constant stream is accepted, as the output rate states`(
    _ rate: Double, _ interval: Double, _ step: Int
  ) {
    let numbers = Array(0..<300)
    var limiter = FrameRateLimiter(minInterval: interval)
    let accepted = numbers.filter { limiter.accepts(Double($0) / rate) }
    #expect(accepted == numbers.filter { $0.isMultiple(of: step) })
    #expect(limiter.outputRate(forInputRate: rate) == rate / Double(step))
  }

  @Test(
    arguments: [
      ("25/1\n", 25), ("30000/1001", 30000.0 / 1001), ("50", 50), ("0/0", nil), ("", nil),
      ("1/0", nil), ("-25", nil), ("nan", nil), ("1/2/3", nil), ("90000/1", nil),
    ] as [(String, Double?)])
  func `Frame rates are parsed from numbers and fractions`(_ text: String, _ rate: Double?) {
    #expect(FrameRate.parse(text) == rate)
  }

  @Test(
    arguments: [
      ("640x480", 640 * 480 * 3), ("1x1", 3), ("0x5", nil), ("640", nil), ("640x480x3", nil),
      ("-1x-1", nil), ("99999x99999", nil), ("x", nil), ("640x", nil),
    ] as [(String, Int?)])
  func `Frame sizes are parsed`(_ text: String, _ bytes: Int?) {
    #expect(FrameSize(text)?.byteCount == bytes)
  }
}
