import TensorIOTestSupport
import Testing

@testable import TensorIOCore

@Suite struct LatencyRecordTests {
  @Test func `Durations are added up`() {
    var record = LatencyRecord()
    #expect(record.mean == nil && record.last == nil && record.percentile(50) == nil)
    for milliseconds in [5, 1, 4, 2, 3] { record.add(.milliseconds(milliseconds)) }
    #expect(record.count == 5)
    #expect(record.last == .milliseconds(3))
    #expect(record.total == .milliseconds(15))
    #expect(record.mean == .milliseconds(3))
  }

  @Test(arguments: [
    (0.0, 1), (1, 1), (20, 1), (21, 2), (50, 3), (90, 5), (100, 5), (-7, 1), (1000, 5),
  ])
  func `A percentile is the duration of one of the runs`(percent: Double, milliseconds: Int) {
    var record = LatencyRecord()
    for milliseconds in [5, 1, 4, 2, 3] { record.add(.milliseconds(milliseconds)) }
    #expect(record.percentile(percent) == .milliseconds(milliseconds))
    #expect(record.percentile(.nan) == nil)
  }

  @Test func `The percentiles of one hundred runs are the runs in order`() {
    var record = LatencyRecord()
    for milliseconds in (1...100).reversed() { record.add(.milliseconds(milliseconds)) }
    for percent in 1...100 {
      #expect(record.percentile(Double(percent)) == .milliseconds(percent))
    }
  }
}

@Suite(.hangGuard) struct MemorySamplerTests {
  @Test func `There are no samples before the start, and some after it`() throws {
    let sampler = MemorySampler()
    sampler.stop()
    #expect(sampler.peakBytes == nil)
    sampler.start()
    #expect(try #require(sampler.peakBytes) > 1 << 20)
    sampler.stop()
    let samples = try #require(sampler.samples)
    #expect(samples.count >= 2)
    #expect(samples.peak >= max(samples.first, samples.last))
    sampler.stop()
    #expect(sampler.samples == samples)
  }

  /// Other tests may free memory at the same time, so one of several attempts has to succeed.
  @Test func `Samples are taken at intervals and include touched memory`() async throws {
    var isSeen = false
    for _ in 0..<10 where !isSeen { isSeen = try await isTouchedMemorySeen() }
    #expect(isSeen)
  }

  private func isTouchedMemorySeen() async throws -> Bool {
    let sampler = MemorySampler(interval: .milliseconds(1))
    sampler.start()
    let first = try #require(sampler.samples?.first)
    let size = 64 << 20
    let block = [UInt8](repeating: 1, count: size)
    let count = try #require(sampler.samples?.count)
    try await waitUntil { (sampler.samples?.count ?? 0) > count + 2 }
    #expect(block.count { $0 == 1 } == size)
    sampler.stop()
    return try #require(sampler.peakBytes) > first + size / 2
  }

  @Test func `A second start discards the samples of the first`() async throws {
    let sampler = MemorySampler(interval: .milliseconds(1))
    sampler.start()
    try await waitUntil { (sampler.samples?.count ?? 0) > 3 }
    sampler.stop()
    let old = try #require(sampler.samples?.count)
    let slow = MemorySampler(interval: .seconds(1 << 40))
    slow.start()
    slow.start()
    #expect(slow.samples?.count == 1)
    #expect(old > 3)
    #expect(try #require(MemorySampler.residentBytes) > 1 << 20)
  }
}
