import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOTasks

/// The report on a chain: its steps, inputs and outputs.
struct ChainInspection {
  let chain: Chain
  let path: String
  let model: Model

  init(_ chain: Chain, at path: String) throws(OperationError) {
    (self.chain, self.path) = (chain, path)
    do throws(ModelError) {
      model = try chain.makeModel()
    } catch {
      throw OperationError(error)
    }
  }
}

// MARK: Text

extension ChainInspection {
  /// The lines of the text report, with an example command at the end.
  func lines(program: ProgramName) -> [String] {
    let description = chain.description
    return [description.name, ""]
      + HelpPage.table([("id", description.id), ("version", description.version)])
      + section("inputs", model.inputs) + ["", "steps:"] + description.steps.flatMap(lines)
      + section("outputs", model.outputs) + exampleCommandLines(program)
  }

  private func section(_ title: String, _ layers: [Layer]) -> [String] {
    ["", "\(title):"] + HelpPage.table(layers.map { ($0.name, Inspection.text($0)) })
  }

  private func lines(_ step: ChainStep) -> [String] {
    ["  \(step.name)"] + HelpPage.table(rows(of: step).map { ("  \($0)", $1) })
  }

  private func rows(of step: ChainStep) -> [(String, String)] {
    switch step.kind {
    case .bundle(let bundle, let sources):
      let inputs = sources.sorted { $0.key < $1.key }.map { "\($0.key) from \($0.value.text)" }
      let outputs = chain.models[step.name]?.outputs.map(\.name) ?? []
      return [
        ("bundle", bundle), ("inputs", inputs.joined(separator: ", ")),
        ("outputs", outputs.joined(separator: ", ")),
      ]
    case .align(let alignment):
      let size = "\(alignment.width) × \(alignment.height)\(alignment.whitens ? ", whitened" : "")"
      return [
        ("align", "detections of \(alignment.detections) in \(alignment.image.text)"),
        ("to", "\(alignment.points.count) points of an image of \(size)"),
      ]
    case .refine(let refinement):
      return [
        ("refine", "detections of \(refinement.detections) in \(refinement.image.text)"),
        ("crop", "\(refinement.scale) times the box"),
      ]
    case .region(let region):
      return [
        ("region", "around objects of \(region.objects) in \(region.image.text)"),
        ("to", "an image of \(region.size) × \(region.size), \(region.scale) times the box"),
      ]
    }
  }

  private func exampleCommandLines(_ program: ProgramName) -> [String] {
    let inputs = model.inputs.map { layer in
      model.inputs.count == 1 ? layer.exampleArgument : "\(layer.name)=\(layer.exampleArgument)"
    }
    let words = [program.command] + (["run", path] + inputs).map(\.shellEscaped)
    return ["", "try it:", "  " + words.joined(separator: " ")]
  }
}

// MARK: JSON

extension ChainInspection {
  /// Writes the report as a JSON object.
  func write(to writer: inout JSONWriter) {
    let description = chain.description
    writer.object { writer in
      writer.member("chain") { writer in
        writer.member("id", description.id)
        writer.member("name", description.name)
        writer.member("version", description.version)
      }
      writer.member("inputs", array: model.inputs) { $0.object(layer: $1) }
      writer.member("steps", objects: description.steps) { write($1, to: &$0) }
      writer.member("outputs", array: model.outputs) { $0.object(layer: $1) }
    }
  }

  private func write(_ step: ChainStep, to writer: inout JSONWriter) {
    writer.member("name", step.name)
    switch step.kind {
    case .bundle(let bundle, let sources): write(bundle, sources, of: step, to: &writer)
    case .align(let alignment):
      writer.member("align") { Self.write(alignment, to: &$0) }
    case .refine(let refinement):
      writer.member("refine") { writer in
        writer.member("picture", refinement.image.text)
        writer.member("detections", refinement.detections)
        writer.member("scale", refinement.scale)
      }
    case .region(let region):
      writer.member("region") { Self.write(region, to: &$0) }
    }
  }

  private static func write(_ region: RegionCrop, to writer: inout JSONWriter) {
    writer.member("picture", region.image.text)
    writer.member("detections", region.objects)
    writer.member("size", region.size)
    writer.member("scale", region.scale)
    if let rotation = region.rotation {
      writer.member("rotate", array: [rotation.start, rotation.end]) { $0.value($1) }
      writer.member("angle", rotation.angle)
    }
    writer.member("shift", array: [region.shift.x, region.shift.y]) { $0.value($1) }
    if !region.keypoints.isEmpty {
      writer.member("keypoints", array: region.keypoints) { $0.value($1) }
    }
    writer.member("mirror", region.isMirrored)
  }

  private func write(
    _ bundle: String, _ sources: [String: ChainSource], of step: ChainStep,
    to writer: inout JSONWriter
  ) {
    writer.member("bundle", bundle)
    writer.member("inputs") { writer in
      for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
        writer.member(name, source.text)
      }
    }
    writer.member("outputs", array: chain.models[step.name]?.outputs ?? []) {
      $0.object(layer: $1)
    }
  }

  private static func write(_ alignment: Alignment, to writer: inout JSONWriter) {
    writer.member("picture", alignment.image.text)
    writer.member("detections", alignment.detections)
    writer.member("points", array: alignment.points) { $0.numbers([$1.x, $1.y]) }
    writer.member("width", alignment.width)
    writer.member("height", alignment.height)
    writer.member("whiten", alignment.whitens)
  }
}
