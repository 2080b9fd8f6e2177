import TensorIOImage
import Testing

@testable import TensorIODrawing

@Suite struct ChartImageTests {
  @Test func `Curves are drawn in the color of their index`() throws {
    let chart = Self.lineChart(
      [Chart.Series(points: (0..<50).map { .init(Double($0), 1) }, colorIndex: 3)])
    let image = try chart.image(width: 480, height: 300)
    let color = Color.forClass(3)
    let line = PixelColor(red: color.red, green: color.green, blue: color.blue)
    let rows = (0..<300).filter { y in image[240, y] == line }
    #expect((1...4).contains(rows.count))
  }

  @Test(arguments: [
    [], [Chart.Point(1, .nan)], [Chart.Point(1, 2)],
    [Chart.Point(1, 1e308), Chart.Point(2, -1e308)],
  ])
  func `A chart with few or invalid points is rendered`(_ points: [Chart.Point]) throws {
    let chart = Self.lineChart([Chart.Series("a", points: points)])
    #expect(try chart.image(width: 64, height: 48).width == 64)
  }

  @Test func `A point between interruptions is drawn as a dot`() throws {
    let points = [Chart.Point(0, 0), .init(1, .nan), .init(2, 2), .init(3, .nan), .init(4, 4)]
    let image = try Self.lineChart([Chart.Series(points: points)]).image(width: 480, height: 300)
    #expect(image.count { $0 == .forClass(0) } > 30)
  }

  @Test func `The height of a bar is its value`() throws {
    let bars = [Chart.Bar(0...1, height: 10), Chart.Bar(1...2, height: 5)]
    let plot = Chart.Plot(
      horizontal: Chart.Axis("ms"), vertical: Chart.Axis("runs", range: .valuesAndZero),
      marks: bars.map { .bar($0) })
    let image = try Chart("", .plot(plot)).image(width: 480, height: 300)
    let blue = PixelColor(red: 47, green: 114, blue: 196)
    let heights = [150, 380].map { x in (0..<300).count { image[x, $0] == blue } }
    #expect(heights[0] > 100 && abs(heights[0] - 2 * heights[1]) <= 2)
  }

  @Test func `Dots, references, deviations and markers are drawn`() throws {
    let origin = Chart.Point(0, 0)
    let marks: [Chart.Mark] = [
      .dot(Chart.Dot(.init(0.5, 0.5), size: 1)), .reference(from: origin, to: .init(1, 1)),
      .deviation(from: .init(0.2, 0.2), to: .init(0.2, 0.8)), .marker(at: 0.7, label: "p90"),
    ]
    var images: Set<[UInt8]> = []
    for count in 0...marks.count {
      let plot = Chart.Plot(
        horizontal: .percent("x"), vertical: .percent("y"), marks: Array(marks.prefix(count)))
      images.insert(try Chart("", .plot(plot)).image(width: 240, height: 160).encoded(as: .png))
    }
    #expect(images.count == marks.count + 1)
  }

  @Test func `Cells on and off the diagonal have different colors`() throws {
    let matrix = Chart.Matrix(
      labels: ["fig", "plum"], rowName: "actual", columnName: "predicted",
      cells: [
        .init(row: 0, column: 0, count: 6, intensity: 1),
        .init(row: 1, column: 0, count: 2, intensity: 1),
        .init(row: 9, column: 0, count: 1, intensity: 1),
      ])
    #expect(matrix.cells.count == 2)
    let image = try Chart("Confusion", .matrix(matrix)).image(width: 400, height: 400)
    let (correct, incorrect) = (
      image.count { $0.blue > 200 && $0.red < 190 }, image.count { $0.red > 200 && $0.blue < 210 }
    )
    #expect(correct > 2_000 && abs(correct - incorrect) < 500)
  }

  @Test(arguments: [0, 1, 500])
  func `A matrix of any number of classes is rendered`(_ count: Int) throws {
    let matrix = Chart.Matrix(
      labels: (0..<count).map { "class \($0)" }, rowName: "", columnName: "",
      cells: (0..<count).map { .init(row: $0, column: $0, count: .max, intensity: .nan) })
    #expect(try Chart("", .matrix(matrix)).image(width: 64, height: 48).width == 64)
  }

  private static func lineChart(_ series: [Chart.Series]) -> Chart {
    let plot = Chart.Plot(
      horizontal: Chart.Axis("epoch", scale: .integers),
      vertical: Chart.Axis("loss", range: .valuesAndNearbyZero), marks: series.map { .line($0) })
    return Chart("t", .plot(plot))
  }
}

extension ImageBuffer {
  /// Returns the number of pixels that satisfy a condition.
  fileprivate func count(where condition: (PixelColor) -> Bool) -> Int {
    (0..<height).reduce(0) { sum, y in
      sum + (0..<width).count { condition(self[$0, y]) }
    }
  }
}
