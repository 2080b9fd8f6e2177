internal import TensorIOCore

// MARK: Writing

extension EvaluationResult {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("model", model.path)
    writer.member("name", model.name)
    writer.member("id", model.id)
    writer.member("version", model.version)
    writer.member("data", data)
    writer.member("count", count)
    writer.member("errors", errors.count)
    writer.member("metrics", object: { writer in figures.forEachName { $0.write(to: &writer) } })
    writeClasses(to: &writer)
    speed.writeMembers(to: &writer)
    writeKinds(to: &writer)
    writer.list("failed", errors) { $0.write(to: &$1) }
    if let confusion { writer.member("confusion", object: confusion.writeMembers) }
    writer.list("curves", curves) { $0.writeMembers(to: &$1) }
    writer.list("calibration", calibration) { $0.writeMembers(to: &$1) }
    writer.member("samples", object: samples.writeMembers)
  }

  private func writeClasses(to writer: inout JSONWriter) {
    writer.list("per_class", classes) { result, writer in
      writer.member("label", result.label)
      writer.member("count", result.count)
      result.writtenFigures.forEachName { $0.write(to: &writer) }
    }
  }

  /// What the values of figures count, and which are better; told once, for the classes too.
  private func writeKinds(to writer: inout JSONWriter) {
    writer.member(
      "figures",
      object: { writer in
        (figures + classes.flatMap(\.writtenFigures)).forEachName { figure in
          writer.member(
            figure.name,
            object: { writer in
              writer.member("unit", figure.unit.rawValue)
              writer.member("better", figure.better.rawValue)
            })
        }
      })
  }
}

extension ClassResult {
  fileprivate static let ownKeys: Set<String> = ["label", "count"]

  /// The figures that do not hide what else is said of a class.
  fileprivate var writtenFigures: [Figure] { figures.filter { !Self.ownKeys.contains($0.name) } }
}

extension Figure {
  /// Writes the figure as a member, a list where it has not exactly one value.
  fileprivate func write(to writer: inout JSONWriter) {
    if let value { writer.member(name, number: value) } else { writer.member(name, row: values) }
  }
}

extension [Figure] {
  /// Passes over figures whose name was there before: the keys of an object are different.
  fileprivate func forEachName(_ body: (Figure) -> Void) {
    var names: Set<String> = []
    for figure in self where names.insert(figure.name).inserted { body(figure) }
  }
}

extension JSONWriter {
  /// Writes a list of objects; nothing where there are none.
  mutating func list<Value>(
    _ name: String, _ values: [Value], _ write: (Value, inout JSONWriter) -> Void
  ) {
    guard !values.isEmpty else { return }
    member(
      name,
      array: { writer in
        for value in values { writer.object { write(value, &$0) } }
      })
  }
}

// MARK: Reading

extension EvaluationResult {
  init(_ fields: ReportFields) throws(ModelError) {
    let model = JudgedModel(
      path: try fields.string("model"), name: try fields.string("name"),
      id: try fields.string("id"), version: try fields.string("version"))
    self.init(model: model, data: try fields.string("data"))
    let kinds = try FigureKinds(fields.fields("figures"))
    count = try fields.integer("count")
    figures = try kinds.figures(of: fields.fields("metrics"))
    classes = try fields.list("per_class") { (node) throws(ModelError) in
      let fields = try ReportFields(node)
      return ClassResult(
        label: try fields.string("label"), count: try fields.integer("count"),
        figures: try kinds.figures(of: fields, besides: ClassResult.ownKeys))
    }
    speed = try SpeedResult(fields)
    errors = try fields.list("failed", FailedItem.init)
    confusion = try fields.optional("confusion") { (key) throws(ModelError) in
      try ConfusionResult(fields.fields(key))
    }
    curves = try fields.list("curves", ResultCurve.init)
    calibration = try fields.list("calibration", CalibrationBin.init)
    samples = try SampleAnswers(fields.fields("samples"))
  }
}

/// What the values of figures count, and which are better, by the figures' names.
private struct FigureKinds {
  private var kinds: [String: (unit: Figure.Unit, better: Figure.Direction)] = [:]

  init(_ fields: ReportFields) throws(ModelError) {
    for member in fields.node.members.map(Array.init) ?? [] {
      let kind = try ReportFields(member.value)
      guard let unit = Figure.Unit(rawValue: try kind.string("unit")),
        let better = Figure.Direction(rawValue: try kind.string("better"))
      else { throw .isNo("the unit and direction of a figure", member.value) }
      kinds[member.name] = (unit, better)
    }
  }

  func figures(
    of fields: ReportFields, besides others: Set<String> = []
  ) throws(ModelError) -> [Figure] {
    var figures: [Figure] = []
    for member in fields.node.members.map(Array.init) ?? [] where !others.contains(member.name) {
      let values: [Double]
      if member.value.elements != nil {
        values = try fields.numbers(member.name)
      } else {
        values = [try fields.number(member.name)]
      }
      let kind = kinds[member.name] ?? (.number, .neither)
      figures.append(Figure(member.name, values: values, unit: kind.unit, better: kind.better))
    }
    return figures
  }
}
