import Testing

@testable import TensorIODrawing

@Suite struct SVGChartTests {
  @Test func `A line is simplified to the resolution of the chart`() {
    let points = (0...100_000).map { Chart.Point(Double($0) / 1e5, Double($0 % 2)) }
    let path = Self.path(points)
    #expect(path.utf8.count < 10_000 && path.hasPrefix("M48 244L") && path.hasSuffix("L336 244"))
    #expect(Self.path([.init(.nan, 0), .init(0, .infinity)]).isEmpty)
  }

  @Test func `A line is interrupted at a point that is not finite`() {
    let points: [Chart.Point] = [.init(0, 0), .init(0.5, 0.5), .init(0.6, .nan), .init(1, 1)]
    #expect(Self.path(points) == "M48 244L192 128M336 12")
    let interrupted = (0...100_000).map {
      Chart.Point(Double($0) / 1e5, $0 % 3 == 0 ? .nan : Double($0 % 2))
    }
    #expect(Self.path(interrupted).utf8.count < 10_000)
  }

  @Test func `Isolated points and the points of a short line with dots have dots`() {
    let isolated = Self.svg([.line(Chart.Series(points: [.init(0, 0), .init(0.5, .nan)]))])
    #expect(isolated.contains(#"<path class="curve s0 point" d="M48 244h0"/>"#))
    let ends = [Chart.Point(0, 0), .init(1, 1)]
    let dots = Self.svg([.line(Chart.Series(points: ends, colorIndex: 11, style: .lineWithDots))])
    #expect(dots.contains(#"<path class="curve s1 point" d="M48 244h0M336 12h0"/>"#))
    let line = Self.svg([.line(Chart.Series(points: ends, colorIndex: -1, style: .background))])
    #expect(line.contains(#"<path class="curve s9 faint" d="M48 244L336 12"/>"#))
    #expect(!line.contains("point"))
  }

  @Test func `Only lines with a name are listed in the legend`() {
    let series = [Chart.Series("<a>", detail: "0.5", points: []), Chart.Series(points: [])]
    let figure = SVGChartRenderer(Self.chart(series.map { .line($0) })).figure.source
    #expect(
      figure.contains(
        #"</svg><span class="label">&lt;a&gt;</span><span class="detail">0.5</span></li></ul>"#))
    #expect(!SVGChartRenderer(Self.chart([])).figure.source.contains("legend"))
  }

  @Test func `A long label of a matrix is truncated in its middle`() {
    let labels = ["Staffordshire bullterrier", "\u{65E5}\u{672C}\u{8A9E}"]
    let matrix = Chart.Matrix(labels: labels, rowName: "actual", columnName: "predicted", cells: [])
    let source = SVGChartRenderer(Chart("", .matrix(matrix))).figure.source
    #expect(source.contains(">Staffor…errier<") && source.contains(">\(labels[1])<"))
  }

  /// Returns the commands of the path of a line.
  private static func path(_ points: [Chart.Point]) -> String {
    let source = svg([.line(Chart.Series(points: points))])
    return String(source.firstMatch(of: /<path class="curve s0" d="([^"]*)"/)?.1 ?? "none")
  }

  private static func svg(_ marks: [Chart.Mark]) -> String {
    SVGChartRenderer(chart(marks)).svg.source
  }

  private static func chart(_ marks: [Chart.Mark]) -> Chart {
    Chart(
      "t", .plot(Chart.Plot(horizontal: .percent("x"), vertical: .percent("y"), marks: marks)))
  }
}
