import Testing

@testable import TensorIOStreaming

@Suite struct StreamStatisticsTests {
  @Test func `Received frames are processed, dropped or failed`() {
    var statistics = StreamStatistics()
    statistics.received = 10
    for _ in 0..<6 { statistics.addProcessed([("total", .milliseconds(2))]) }
    statistics.addFailure()
    #expect(statistics.processed == 6 && statistics.failed == 1 && statistics.dropped == 3)
    #expect(statistics.countsText == "10 frames in, 6 out, 3 dropped, 1 failed")
  }

  @Test func `Each stage has a mean, a median and a 95th percentile`() {
    var statistics = StreamStatistics()
    for count in 1...100 {
      statistics.addProcessed([
        ("run", .milliseconds(count)), ("total", .milliseconds(count * 2)),
      ])
    }
    #expect(
      statistics.tableLines == [
        "     ms    mean     p50     p95",
        "    run   50.50   50.00   95.00",
        "  total  101.00  100.00  190.00",
      ])
    #expect(statistics.latencyText == "mean 101.00, p50 100.00, p95 190.00 ms per frame")
  }

  @Test func `The mean covers all durations and the percentiles the latest ones`() {
    var latency = LatencyWindow()
    for _ in 0..<LatencyWindow.size { latency.add(.milliseconds(10)) }
    for _ in 0..<LatencyWindow.size { latency.add(.milliseconds(20)) }
    #expect(latency.mean == .milliseconds(15))
    #expect(latency.percentile(0) == .milliseconds(20))
  }
}
