internal import TensorIOCore
internal import TensorIOTasks

extension SampleAnswers {
  func writeMembers(to writer: inout JSONWriter) {
    writer.list("worst", worst) { $0.writeMembers(to: &$1) }
    writer.list("best", best) { $0.writeMembers(to: &$1) }
  }

  init(_ fields: ReportFields) throws(ModelError) {
    self.init(
      worst: try fields.list("worst", SampleAnswer.init),
      best: try fields.list("best", SampleAnswer.init))
  }
}

extension SampleAnswer {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("name", name)
    if let picture { writer.member("picture", picture) }
    writer.member("truth", truth)
    writer.member("found", found)
    writer.member("right", isRight)
    writer.member("loss", number: loss)
    writer.list("true_boxes", trueBoxes) { $0.writeMembers(to: &$1) }
    writer.list("found_boxes", foundBoxes) { $0.writeMembers(to: &$1) }
  }

  fileprivate init(_ node: JSONNode) throws(ModelError) {
    let fields = try ReportFields(node)
    self.init(
      name: try fields.string("name"), picture: try fields.optional("picture", fields.string),
      truth: try fields.string("truth"), found: try fields.string("found"),
      isRight: try fields.bool("right"), loss: try fields.number("loss"))
    trueBoxes = try fields.list("true_boxes", SampleBox.init)
    foundBoxes = try fields.list("found_boxes", SampleBox.init)
  }
}

extension SampleBox {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("label", label)
    writer.member("index", index)
    if let score { writer.member("score", number: score) }
    writer.member(
      "box",
      object: { writer in
        writer.member("xmin", number: box.xmin)
        writer.member("ymin", number: box.ymin)
        writer.member("xmax", number: box.xmax)
        writer.member("ymax", number: box.ymax)
      })
  }

  fileprivate init(_ node: JSONNode) throws(ModelError) {
    let fields = try ReportFields(node)
    let edges = try fields.fields("box")
    let box = Box(
      xmin: try edges.number("xmin"), ymin: try edges.number("ymin"),
      xmax: try edges.number("xmax"), ymax: try edges.number("ymax"))
    self.init(
      label: try fields.string("label"), index: try fields.integer("index"), box: box,
      score: try fields.optional("score", fields.number))
  }
}
