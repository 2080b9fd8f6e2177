internal import TensorIOCore

/// What there is to say of each class; where there are many, the weakest first.
struct ClassTable {
  /// So many classes can be taken in at once, in the order of the labels.
  private static let few = 40
  /// By these, the first that there is, classes are weak or strong.
  private static let tellingFigures = ["f1", "ap", "iou"]

  private let names: [String]
  private let classes: [ClassResult]

  init(_ result: EvaluationResult) {
    names = result.classFigureNames
    classes =
      result.classes.count > Self.few ? Self.weakestFirst(result.classes, names) : result.classes
  }

  private static func weakestFirst(_ classes: [ClassResult], _ names: [String]) -> [ClassResult] {
    let name = tellingFigures.first(where: names.contains) ?? names.first ?? ""
    let values = classes.map { line in
      line.figures[name]?.value.flatMap { $0.isNaN ? nil : $0 } ?? .infinity
    }
    return classes.indices.sorted { (values[$0], $0) < (values[$1], $1) }.map { classes[$0] }
  }

  var markup: Markup {
    guard !classes.isEmpty else { return .nothing }
    let isLong = classes.count > Self.few
    return .tag(
      "details", ["open": isLong ? nil : "open"],
      .tag("summary", [:], "\(classes.count) classes\(isLong ? ", the weakest first" : "")"),
      .tag(
        "div", ["class": "scroll", "tabindex": "0"],
        .tag("table", ["class": "classes"], head, .tag("tbody", [:], classes.map(row)))))
  }

  private var head: Markup {
    .tag(
      "thead", [:],
      .tag(
        "tr", [:],
        [
          .tag("th", ["scope": "col"], "class"),
          .tag("th", ["scope": "col", "class": "number"], "items"),
        ]
          + names.map { .tag("th", ["scope": "col", "class": "number"], Markup($0.shown)) }))
  }

  private func row(_ line: ClassResult) -> Markup {
    .tag(
      "tr", [:],
      [
        .tag("th", ["scope": "row"], Markup(line.label.shown)),
        .tag("td", ["class": "number"], "\(line.count)"),
      ] + names.map { cell(line.figures[$0]) })
  }

  /// A share has a bar behind it.
  private func cell(_ figure: Figure?) -> Markup {
    guard let figure, figure.unit == .share, let value = figure.value, value.isFinite else {
      return .tag("td", ["class": "number"], Markup(figure?.text ?? ""))
    }
    return .tag(
      "td", ["class": "number share", "style": "--share:\(min(max(value, 0), 1).fixed(3))"],
      Markup(figure.text))
  }
}
