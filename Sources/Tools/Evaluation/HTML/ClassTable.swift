import TensorIOCore
import TensorIODrawing

/// The metrics of each class; if there are many classes, the weakest come first.
struct ClassTable {
  /// The maximum number of classes that are shown in the order of the labels.
  private static let maxUnsortedClasses = 40
  /// The metrics by which classes are sorted; the first available one is used.
  private static let rankingMetrics = ["f1", "ap", "iou"]

  private let names: [String]
  private let classes: [ClassResult]

  init(_ result: EvaluationResult) {
    names = result.classMetricNames
    classes =
      result.classes.count > Self.maxUnsortedClasses
      ? Self.sortedWorstFirst(result.classes, names) : result.classes
  }

  private static func sortedWorstFirst(
    _ classes: [ClassResult], _ names: [String]
  ) -> [ClassResult] {
    let name = rankingMetrics.first(where: names.contains) ?? names.first ?? ""
    let values = classes.map { result in
      result.metrics[name]?.value.flatMap { $0.isNaN ? nil : $0 } ?? .infinity
    }
    return classes.indices.sorted { (values[$0], $0) < (values[$1], $1) }.map { classes[$0] }
  }

  var markup: Markup {
    guard !classes.isEmpty else { return .empty }
    let isLong = classes.count > Self.maxUnsortedClasses
    return .element(
      "details", ["open": isLong ? nil : "open"],
      .element("summary", [:], "\(classes.count) classes\(isLong ? ", weakest first" : "")"),
      .element(
        "div", ["class": "scroll", "tabindex": "0"],
        .element("table", ["class": "classes"], head, .element("tbody", [:], classes.map(row)))))
  }

  private var head: Markup {
    .element(
      "thead", [:],
      .element(
        "tr", [:],
        [
          .element("th", ["scope": "col"], "class"),
          .element("th", ["scope": "col", "class": "number"], "items"),
        ]
          + names.map {
            .element("th", ["scope": "col", "class": "number"], Markup($0.displayText))
          }))
  }

  private func row(_ result: ClassResult) -> Markup {
    .element(
      "tr", [:],
      [
        .element("th", ["scope": "row"], Markup(result.label.displayText)),
        .element("td", ["class": "number"], "\(result.count)"),
      ] + names.map { cell(result.metrics[$0]) })
  }

  /// Returns a cell; a fraction has a bar in its background.
  private func cell(_ metric: MetricValue?) -> Markup {
    guard let metric, metric.unit == .fraction, let value = metric.value, value.isFinite else {
      return .element("td", ["class": "number"], Markup(metric?.formatted ?? ""))
    }
    let fraction = min(max(value, 0), 1).formatted(decimals: 3)
    return .element(
      "td", ["class": "number fraction", "style": "--fraction:\(fraction)"],
      Markup(metric.formatted))
  }
}
