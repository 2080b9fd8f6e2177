internal import TensorIOCore

/// Curves from 0 to 1 in both directions, with a legend.
struct CurveChart {
  /// So many curves can be told apart; those with the smallest areas are drawn.
  static let limit = 10

  private let kind: ResultCurve.Kind
  private let curves: [ResultCurve]
  private let count: Int

  /// A chart of the curves of a kind; `nil` where there are none.
  init?(_ kind: ResultCurve.Kind, of curves: [ResultCurve]) {
    let all = curves.filter { $0.kind == kind }
    guard !all.isEmpty else { return nil }
    (self.kind, count) = (kind, all.count)
    self.curves = all.count > Self.limit ? Self.weakest(all) : all
  }

  private static func weakest(_ curves: [ResultCurve]) -> [ResultCurve] {
    let areas = curves.map { $0.area.flatMap { $0.isNaN ? nil : $0 } ?? .infinity }
    return curves.indices.sorted { (areas[$0], $0) < (areas[$1], $1) }.prefix(limit)
      .map { curves[$0] }
  }

  /// The chart with its legend.
  var markup: Markup {
    .tag(
      "figure", ["class": "plot"], .tag("h4", [:], Markup(title)), drawing, legend,
      note.map { .tag("figcaption", [:], Markup($0)) } ?? .nothing)
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
  var drawing: Markup {
    let frame =
      switch kind {
      case .roc:
        ChartFrame(
          horizontal: .share("false positive rate"), vertical: .share("true positive rate"))
      case .precisionRecall:
        ChartFrame(horizontal: .share("recall"), vertical: .share("precision"))
      }
    let chance = kind == .roc ? [frame.line((0, 0), (1, 1), "chance")] : []
    let lines = curves.enumerated().map { index, curve in
      Markup.tag(
        "path", ["class": "curve s\(index)", "d": CurvePath(curve.points, in: frame).description])
    }
    return frame.chart(title, details, chance + lines)
  }

  private var details: String {
    curves.map { "\($0.name.shown) \($0.areaText)" }.joined(separator: ", ")
  }

  private var legend: Markup {
    .tag(
      "ul", ["class": "legend"],
      curves.enumerated().map { index, curve in
        .tag(
          "li", [:],
          .tag(
            "svg", ["class": "key", "viewBox": "0 0 22 8", "aria-hidden": "true"],
            .tag("path", ["class": "curve s\(index)", "d": "M1 4H21"])),
          .tag("span", ["class": "label"], Markup(curve.name.shown)),
          .tag("span", ["class": "area"], Markup(curve.areaText)))
      })
  }
}

extension ResultCurve {
  fileprivate var name: String { label.isEmpty ? "all" : label }

  fileprivate var areaText: String {
    area.map { $0.isFinite ? $0.fixed(4) : Double.noNumber } ?? ""
  }
}
