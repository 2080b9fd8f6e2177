import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

@Suite struct UTCTimestampTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
    (951_868_799_999, "2000-02-29T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    (-1, "1969-12-31T23:59:59.999Z"),
  ])
  func `A time has the text of its date`(milliseconds: Int, text: String) {
    #expect(UTCTimestamp(unixNanoseconds: milliseconds * 1_000_000).description == text)
  }

  @Test func `Times of all centuries agree with Foundation`() {
    var random = SeededGenerator(seed: 7)
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for _ in 0..<2000 {
      // Whole seconds, because Foundation rounds the binary fraction of others.
      let seconds = Int.random(in: -2_000_000_000...9_000_000_000, using: &random)
      let date = Date(timeIntervalSince1970: Double(seconds))
      let time = UTCTimestamp(unixNanoseconds: seconds * 1_000_000_000)
      #expect(time.description == date.formatted(style))
    }
  }
}
