import TensorIOCore
import TensorIODrawing

/// Curves from 0 to 1 in both directions, with a legend.
struct CurveChart {
  /// So many curves can be told apart; those with the smallest areas are drawn.
  static let maxCurves = 10

  private let kind: ResultCurve.Kind
  private let curves: [ResultCurve]
  private let count: Int

  /// A chart of the curves of a kind; `nil` where there are none.
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
      "figure", ["class": "plot"], .element("h4", [:], Markup(title)), svg, legend,
      note.map { .element("figcaption", [:], Markup($0)) } ?? .empty)
  }

  private var title: String {
    switch kind {
    case .roc: "ROC curve"
    case .precisionRecall: "Precision and recall"
    }
  }

  private var note: String? {
    count > curves.count ? "The \(curves.count) smallest areas of \(count)." : nil
  }

  /// The drawing alone.
  var svg: Markup {
    let frame =
      switch kind {
      case .roc:
        ChartFrame(
          horizontal: .percent("false positive rate"), vertical: .percent("true positive rate"))
      case .precisionRecall:
        ChartFrame(horizontal: .percent("recall"), vertical: .percent("precision"))
      }
    let chance = kind == .roc ? [frame.line((0, 0), (1, 1), "chance")] : []
    let lines = curves.enumerated().map { index, curve in
      Markup.element(
        "path", ["class": "curve s\(index)", "d": CurvePath(curve.points, in: frame).description])
    }
    return frame.chart(title, details, chance + lines)
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
            "svg", ["class": "key", "viewBox": "0 0 22 8", "aria-hidden": "true"],
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

/// The path of a curve through a chart, with no more points than can be seen.
struct CurvePath: CustomStringConvertible {
  /// Points nearer than this are one.
  private static let minDistance = 0.5
  /// So many points a path has at most, and its last.
  private static let maxPoints = 500

  let description: String

  init(_ points: [ResultCurve.Point], in frame: ChartFrame) {
    let finite = points.filter { $0.x.isFinite && $0.y.isFinite }
    let places = Self.thinned(finite.map { (frame.x($0.x), frame.y($0.y)) })
    description = places.enumerated()
      .map { "\($0 == 0 ? "M" : "L")\($1.0.svgCoordinate) \($1.1.svgCoordinate)" }.joined()
  }

  private static func thinned(_ places: [(Double, Double)]) -> [(Double, Double)] {
    guard let last = places.last else { return [] }
    var kept: [(Double, Double)] = []
    for place in places where kept.last.map({ isFar(place, $0) }) ?? true { kept.append(place) }
    let step = kept.count / maxPoints + 1
    let few = stride(from: 0, to: kept.count, by: step).map { kept[$0] }
    return few.last.map { $0 == last } ?? true ? few : few + [last]
  }

  private static func isFar(_ one: (Double, Double), _ other: (Double, Double)) -> Bool {
    max(abs(one.0 - other.0), abs(one.1 - other.1)) >= minDistance
  }
}
