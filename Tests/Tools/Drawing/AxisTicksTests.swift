import Testing

@testable import TensorIODrawing

@Suite struct AxisTicksTests {
  @Test(arguments: [
    (0.0...1.0, 6, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    (0.0...2.31, 6, ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]),
    (-3.0...4.0, 8, ["-3", "-2", "-1", "0", "1", "2", "3", "4"]),
    (0.0...0.00073, 5, ["0.0000", "0.0002", "0.0004", "0.0006", "0.0008"]),
    (1_200.0...48_000.0, 6, ["0", "10000", "20000", "30000", "40000", "50000"]),
    (7.0...7.0, 3, ["0", "5", "10", "15"]),
  ])
  func `Ticks are round numbers that enclose the values`(
    _ values: ClosedRange<Double>, _ count: Int, _ labels: [String]
  ) {
    let ticks = AxisTicks(covering: values, maxCount: count)
    #expect(ticks.labels == labels)
    #expect(ticks.range.contains(values.lowerBound) && ticks.range.contains(values.upperBound))
  }

  @Test func `Integer axes have integer ticks`() {
    #expect(AxisTicks(covering: 1...3, maxCount: 12, integersOnly: true).labels == ["1", "2", "3"])
  }

  @Test(arguments: [
    -1e308...1e308, 0...1e-300, 1e15...(1e15 + 1), -.greatestFiniteMagnitude ... -1e300,
  ])
  func `Extreme ranges have ticks`(_ values: ClosedRange<Double>) {
    let ticks = AxisTicks(covering: values, maxCount: 6)
    #expect(ticks.values.count == ticks.labels.count && !ticks.values.isEmpty)
    #expect(ticks.values.count <= 24)
  }

  @Test(arguments: [
    (0.0...1.0, 0.25, 0.25), (0.0...1.0, -3, 0), (0.0...1.0, .infinity, 1), (0.0...1.0, .nan, 0),
    (-1e308...1e308, 0, 0.5), (-1e308...1e308, .infinity, 1),
  ])
  func `A value has a position on the axis`(
    _ values: ClosedRange<Double>, _ value: Double, _ position: Double
  ) {
    #expect(AxisTicks(covering: values, maxCount: 6).fraction(of: value) == position)
  }
}
