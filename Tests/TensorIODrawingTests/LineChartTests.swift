import TensorIOImage
import Testing

@testable import TensorIODrawing

@Suite struct LineChartTests {
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

  @Test func `Curves are drawn in their colors`() throws {
    let red = Color(red: 255, green: 0, blue: 0)
    let chart = LineChart(
      title: "t", xLabel: "epoch", yLabel: "loss",
      series: [.init(name: "", points: (0..<50).map { .init(x: Double($0), y: 1) }, color: red)])
    let image = try chart.rendered(width: 480, height: 300)
    let rows = (0..<300).filter { y in image[240, y] == PixelColor(red: 255, green: 0, blue: 0) }
    #expect((1...4).contains(rows.count))
  }

  @Test(arguments: [
    [], [Canvas.Point(x: 1, y: .nan)], [Canvas.Point(x: 1, y: 2)],
    [Canvas.Point(x: 1, y: 1e308), Canvas.Point(x: 2, y: -1e308)],
  ])
  func `A chart with few or invalid points is rendered`(_ points: [Canvas.Point]) throws {
    let chart = LineChart(
      title: "", xLabel: "x", yLabel: "y", series: [.init(name: "a", points: points, color: .black)]
    )
    #expect(try chart.rendered(width: 64, height: 48).width == 64)
  }
}
