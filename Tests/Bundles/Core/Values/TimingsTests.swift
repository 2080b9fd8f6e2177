import Testing

@testable import TensorIOCore

@Suite struct TimingsTests {
  @Test func `Laps add up to no more than the total`() {
    var stopwatch = Stopwatch.running()
    stopwatch.lap(\.image)
    stopwatch.discardLap()
    stopwatch.lap(\.input)
    stopwatch.lap(\.run)
    stopwatch.lap(\.run)
    stopwatch.lap(\.output)
    stopwatch.stop()
    let timings = stopwatch.timings
    #expect(timings.total > .zero)
    #expect(timings.image + timings.input + timings.run + timings.output <= timings.total)
    #expect(timings.stages.map(\.name) == ["image", "input", "run", "output", "total"])
    #expect(timings.stages.map(\.duration).last == timings.total)
  }

  @Test func `Stopping a stopwatch again does not add the time twice`() {
    let clock = ContinuousClock()
    let start = clock.now
    var stopwatch = Stopwatch.running()
    for _ in 0..<1000 { stopwatch.stop() }
    #expect(stopwatch.timings.total <= clock.now - start)
  }

  @Test func `A disabled stopwatch measures nothing`() {
    var stopwatch = Stopwatch.disabled
    stopwatch.lap(\.run)
    stopwatch.discardLap()
    stopwatch.stop()
    #expect(stopwatch.timings == Timings())
  }

  @Test(
    arguments: [
      (.seconds(2), 2000), (.milliseconds(3), 3), (.microseconds(1500), 1.5), (.zero, 0),
      (.seconds(-1), -1000),
    ] as [(Duration, Double)])
  func `A duration is converted to milliseconds`(duration: Duration, milliseconds: Double) {
    #expect(duration.milliseconds == milliseconds)
  }
}
