import TensorIOTestSupport
import Testing

@testable import TensorIOData
@testable import TensorIODrawing
@testable import TensorIOEvaluation

@Suite(.ownThreads) struct ChartTests {
  private let step = ResultCurve(
    .roc, label: "fig", area: 0.75, points: [.init(0, 0), .init(0, 0.5), .init(1, 1)])

  private func svg(_ chart: Chart?) throws -> String {
    SVGChartRenderer(try #require(chart)).svg.source
  }

  @Test func `A curve passes through its points`() throws {
    let source = try svg(Chart(.roc, of: [step]))
    #expect(source.contains(#"<path class="curve s0" d="M48 244L48 128L336 12"/>"#))
    #expect(source.contains(#"<line class="reference-line" x1="48" y1="244" x2="336" y2="12"/>"#))
    #expect(source.contains(#"<text class="tick middle" x="336" y="261">100 %</text>"#))
    #expect(source.contains("<title>ROC curve</title><desc>fig 0.7500</desc>"))
    #expect(Chart(.precisionRecall, of: [step]) == nil)
  }

  @Test func `Of many curves, those with the smallest areas are drawn`() throws {
    let curves = (0..<30).map {
      ResultCurve(.roc, label: "class \($0)", area: 1 - Double($0) / 100, points: step.points)
    }
    let chart = try #require(Chart(.roc, of: curves))
    let source = SVGChartRenderer(chart).figure.source
    #expect(
      source.contains("class 29") && source.contains("class 20") && !source.contains("class 19"))
    #expect(source.contains("Showing the 10 smallest areas of 30."))
  }

  @Test func `A dot shows the accuracy at a confidence`() throws {
    let source = try svg(
      Chart([
        CalibrationBin(count: 3, confidence: 0.75, accuracy: 0.5),
        CalibrationBin(count: 0, confidence: 0.1, accuracy: 0.1),
      ]))
    #expect(
      source.contains(
        #"<circle class="dot" cx="264" cy="128" r="10.5"><title>3 predictions: confidence 75.0 %, accuracy 50.0 %</title></circle>"#
      ))
    #expect(source.contains(#"<line class="deviation" x1="264" y1="70" x2="264" y2="128"/>"#))
    #expect(Chart([]) == nil)
  }

  @Test func `The height of a bar is its number of runs`() throws {
    var performance = PerformanceResult()
    performance.histogram = [
      HistogramBin(lowerMilliseconds: 0, upperMilliseconds: 1, count: 10),
      HistogramBin(lowerMilliseconds: 1, upperMilliseconds: 2, count: 5),
    ]
    performance.stageLatencies = [StageLatency(name: "total", mean: 1, p50: 1, p90: 2, p99: 2)]
    let source = try svg(Chart(latencyOf: performance))
    #expect(
      source.contains(
        #"<rect class="bar" x="48.5" y="12" width="143" height="232"><title>0.000 to 1.000 ms: 10</title></rect>"#
      ))
    #expect(source.contains(#"<rect class="bar" x="192.5" y="128" width="143" height="116">"#))
    #expect(source.contains(#"<line class="marker" x1="192" y1="244" x2="192" y2="12"/>"#))
    #expect(Chart(latencyOf: PerformanceResult()) == nil)
  }

  @Test func `The opacity of a cell is its fraction of the actual class`() throws {
    let confusion = SampleReport.classifier("fig", top1: 1, p50: 1).confusion
    let source = try svg(confusion?.chart)
    #expect(source.contains(#"<title>fig predicted as fig: 6</title><rect class="correct-cell""#))
    #expect(
      source.contains(#"<title>plum predicted as fig: 2</title><rect class="incorrect-cell""#))
    #expect(
      source.contains(#"fill-opacity="0.60"/>"#) && source.contains(#"fill-opacity="0.50"/>"#))
    #expect(source.contains("<desc>plum predicted as fig: 2</desc>"))
    #expect(
      confusion?.chart?.caption?.hasSuffix("Most frequent: plum predicted as fig: 2.") == true)
    #expect(ConfusionResult(labels: [], cells: []).chart == nil)
  }

  @Test func `Of many classes, the most confused are shown`() throws {
    let labels = (0..<100).map { "class \($0)" }
    let cells = (0..<100).map {
      ConfusionResult.Cell(actual: $0, predicted: ($0 + 50) % 100, count: $0 < 50 ? 1 : 1 + $0)
    }
    let confusion = ConfusionResult(labels: labels, cells: cells).mostConfused(40)
    // Each class is confused with the one 50 positions away, so the classes come in pairs.
    #expect(confusion.labels == (30..<50).map { "class \($0)" } + (80..<100).map { "class \($0)" })
    #expect(confusion.cells.count == 40)
    let chart = try #require(ConfusionResult(labels: labels, cells: cells).chart)
    #expect(chart.caption?.hasSuffix("Showing the 40 most confused of 100 classes.") == true)
    #expect(SVGChartRenderer(chart).figure.source.contains("most confused of 100 classes."))
  }

  @Test(arguments: 0..<30)
  func `Every chart is well-formed XML`(seed: Int) throws {
    var random = RandomReport(seed: seed, includingNaN: true)
    for result in random.report().results {
      for chart in result.charts.map({ SVGChartRenderer($0).figure }) {
        let figure = try XMLReader.read(Array(chart.source.utf8))
        let drawing = try #require(figure["svg"] ?? figure["div"]?["svg"])
        #expect(drawing["title"]?.text.isEmpty == false && drawing["desc"] != nil)
        #expect(!chart.source.contains("nan") && !chart.source.contains("inf\""))
      }
    }
  }
}
