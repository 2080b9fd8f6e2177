import Testing
@testable import TensorIOCommand
@testable import TensorIOStreaming

@Suite struct FramePaceTests {
  /// Which of the frames that come at some times are taken.
  private func taken(_ times: [Double], delay: Double) -> [Double] {
    var pace = FrameRateLimiter(minInterval: delay)
    return times.filter { pace.accepts($0) }
  }

  @Test func `without a delay all frames are taken`() {
    #expect(taken([0, 0, 0.01, 5], delay: 0) == [0, 0, 0.01, 5])
  }

  @Test func `a frame that comes too soon is dropped, and does not put off the next`() {
    #expect(taken([0, 0.3, 0.49, 0.5, 0.9, 1.1, 9], delay: 0.5) == [0, 0.5, 1.1, 9])
  }

  @Test(arguments: [(25, 0.2, 5), (25, 0.5, 13), (30, 0.1, 3), (29.97, 0.2, 6), (10, 0.01, 1)])
  func `of a steady video every so-and-so-many-th is taken, and the rate says so`(
    _ rate: Double, _ delay: Double, _ step: Int
  ) {
    let numbers = Array(0..<300)
    var pace = FrameRateLimiter(minInterval: delay)
    let taken = numbers.filter { pace.accepts(Double($0) / rate) }
    #expect(taken == numbers.filter { $0.isMultiple(of: step) })
    #expect(pace.outputRate(forInputRate: rate) == rate / Double(step))
  }

  @Test(
    arguments: [
      ("25/1\n", 25), ("30000/1001", 30000.0 / 1001), ("50", 50), ("0/0", nil), ("", nil),
      ("1/0", nil), ("-25", nil), ("nan", nil), ("1/2/3", nil), ("90000/1", nil),
    ] as [(String, Double?)])
  func `rates are fractions that can be`(_ text: String, _ rate: Double?) {
    #expect(FrameRate.parse( text) == rate)
  }

  @Test(
    arguments: [
      ("640x480", 640 * 480 * 3), ("1x1", 3), ("0x5", nil), ("640", nil), ("640x480x3", nil),
      ("-1x-1", nil), ("99999x99999", nil), ("x", nil), ("640x", nil),
    ] as [(String, Int?)])
  func `sizes are two sides that can be`(_ text: String, _ bytes: Int?) {
    #expect(FrameSize(text)?.byteCount == bytes)
  }
}
