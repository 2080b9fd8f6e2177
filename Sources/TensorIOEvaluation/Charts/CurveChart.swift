import TensorIOCore
import TensorIODrawing

/// A chart of ROC or precision-recall curves with a legend.
struct CurveChart {
  /// The maximum number of curves; of more, those with the smallest areas are drawn.
  static let maxCurves = 10

  private let kind: ResultCurve.Kind
  private let curves: [ResultCurve]
  private let count: Int

  /// Creates a chart of the curves of a kind; `nil` if there are none.
  init?(_ kind: ResultCurve.Kind, of curves: [ResultCurve]) {
    let all = curves.filter { $0.kind == kind }
    guard !all.isEmpty else { return nil }
    (self.kind, count) = (kind, all.count)
    self.curves = all.count > Self.maxCurves ? Self.smallestAreas(all) : all
  }

  private static func smallestAreas(_ curves: [ResultCurve]) -> [ResultCurve] {
    let areas = curves.map { $0.area.flatMap { $0.isNaN ? nil : $0 } ?? .infinity }
    return curves.indices.sorted { (areas[$0], $0) < (areas[$1], $1) }.prefix(maxCurves)
      .map { curves[$0] }
  }

  /// The chart with its legend.
  var markup: Markup {
    .element(
      "figure", ["class": "chart-figure"], .element("h4", [:], Markup(title)), svg, legend,
      caption.map { .element("figcaption", [:], Markup($0)) } ?? .empty)
  }

  private var title: String {
    switch kind {
    case .roc: "ROC curve"
    case .precisionRecall: "Precision and recall"
    }
  }

  private var caption: String? {
    count > curves.count ? "Showing the \(curves.count) smallest areas of \(count)." : nil
  }

  /// The chart without its legend.
  var svg: Markup {
    let frame =
      switch kind {
      case .roc:
        ChartFrame(
          horizontal: .percent("false positive rate"), vertical: .percent("true positive rate"))
      case .precisionRecall:
        ChartFrame(horizontal: .percent("recall"), vertical: .percent("precision"))
      }
    let diagonal = kind == .roc ? [frame.line((0, 0), (1, 1), "reference-line")] : []
    let lines = curves.enumerated().map { index, curve in
      Markup.element(
        "path", ["class": "curve s\(index)", "d": CurvePath(curve.points, in: frame).description])
    }
    return frame.chart(title, details, diagonal + lines)
  }

  private var details: String {
    curves.map { "\($0.name.displayText) \($0.areaText)" }.joined(separator: ", ")
  }

  private var legend: Markup {
    .element(
      "ul", ["class": "legend"],
      curves.enumerated().map { index, curve in
        .element(
          "li", [:],
          .element(
            "svg", ["class": "legend-key", "viewBox": "0 0 22 8", "aria-hidden": "true"],
            .element("path", ["class": "curve s\(index)", "d": "M1 4H21"])),
          .element("span", ["class": "label"], Markup(curve.name.displayText)),
          .element("span", ["class": "area"], Markup(curve.areaText)))
      })
  }
}

extension ResultCurve {
  fileprivate var name: String { label.isEmpty ? "all" : label }

  fileprivate var areaText: String {
    area.map { $0.isFinite ? $0.formatted(decimals: 4) : Double.notANumberText } ?? ""
  }
}

/// An SVG path of a curve, simplified to the resolution of the chart.
struct CurvePath: CustomStringConvertible {
  /// The minimum distance between points.
  private static let minDistance = 0.5
  /// The maximum number of points, not counting the last.
  private static let maxPoints = 500

  let description: String

  init(_ points: [ResultCurve.Point], in frame: ChartFrame) {
    let finite = points.filter { $0.x.isFinite && $0.y.isFinite }
    let path = Self.simplified(finite.map { (frame.x($0.x), frame.y($0.y)) })
    description = path.enumerated()
      .map { "\($0 == 0 ? "M" : "L")\($1.0.svgCoordinate) \($1.1.svgCoordinate)" }.joined()
  }

  private static func simplified(_ points: [(Double, Double)]) -> [(Double, Double)] {
    guard let last = points.last else { return [] }
    var distinct: [(Double, Double)] = []
    for point in points where distinct.last.map({ isFar(point, $0) }) ?? true {
      distinct.append(point)
    }
    let step = distinct.count / maxPoints + 1
    let sampled = stride(from: 0, to: distinct.count, by: step).map { distinct[$0] }
    return sampled.last.map { $0 == last } ?? true ? sampled : sampled + [last]
  }

  private static func isFar(_ first: (Double, Double), _ second: (Double, Double)) -> Bool {
    max(abs(first.0 - second.0), abs(first.1 - second.1)) >= minDistance
  }
}
