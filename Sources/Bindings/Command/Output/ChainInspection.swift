import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOTasks

/// The report on a chain: its steps, inputs and outputs.
struct ChainInspection {
  private let bundle: ModelBundle
  private let description: ChainDescription
  /// The bundles, by step.
  private let parts: [String: ModelBundle]

  init(_ bundle: ModelBundle, _ composition: ModelBundle.Composition) throws(OperationError) {
    self.bundle = bundle
    do throws(ModelError) {
      description = try ChainDescription(json: composition.description)
    } catch {
      throw OperationError(error)
    }
    let steps = description.steps.lazy.filter(\.runsBundle).map(\.name)
    parts = Dictionary(zip(steps, composition.parts)) { first, _ in first }
  }
}

// MARK: Text

extension ChainInspection {
  /// The lines of the text report, with an example command at the end.
  func lines(program: ProgramName) -> [String] {
    [description.name, ""]
      + HelpPage.table([("id", description.id), ("version", description.version)])
      + section("inputs", bundle.description.inputs) + ["", "steps:"]
      + description.steps.flatMap(lines)
      + section("outputs", bundle.description.outputs) + exampleCommandLines(program)
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
      let outputs = outputs(of: step).map(\.name)
      return [
        ("bundle", bundle), ("inputs", inputs.joined(separator: ", ")),
        ("outputs", outputs.joined(separator: ", ")),
      ] + (step.batch.map { [("batch", "\($0) images at once")] } ?? [])
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
    case .crop(let crop):
      return [
        ("crop", "lines of \(crop.lines) in \(crop.image.text)"),
        ("turned", "from a ratio of height to width of \(crop.turnRatio)"),
      ]
    case .turn(let turn):
      return [
        ("turn", "images of \(turn.image.text) by the angles of \(turn.classes)"),
        ("above", "a score of \(turn.minimumScore)"),
      ]
    }
  }

  private func outputs(of step: ChainStep) -> [Layer] {
    parts[step.name]?.description.outputs ?? []
  }

  private func exampleCommandLines(_ program: ProgramName) -> [String] {
    let inputs = bundle.description.inputs.map { layer in
      bundle.description.inputs.count == 1
        ? layer.exampleArgument : "\(layer.name)=\(layer.exampleArgument)"
    }
    let words = [program.command] + (["run", bundle.path] + inputs).map(\.shellEscaped)
    return ["", "try it:", "  " + words.joined(separator: " ")]
  }
}

// MARK: JSON

extension ChainInspection {
  /// Writes the report as a JSON object.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("chain") { writer in
        writer.member("id", description.id)
        writer.member("name", description.name)
        writer.member("version", description.version)
      }
      writer.member("inputs", array: bundle.description.inputs) { $0.object(layer: $1) }
      writer.member("steps", objects: description.steps) { write($1, to: &$0) }
      writer.member("outputs", array: bundle.description.outputs) { $0.object(layer: $1) }
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
    case .crop(let crop):
      writer.member("crop") { writer in
        writer.member("picture", crop.image.text)
        writer.member("detections", crop.lines)
        writer.member("turn_above", crop.turnRatio)
      }
    case .turn(let turn):
      writer.member("turn") { writer in
        writer.member("picture", turn.image.text)
        writer.member("classes", turn.classes)
        writer.member("min_score", turn.minimumScore)
      }
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
    if let batch = step.batch { writer.member("batch", batch) }
    writer.member("inputs") { writer in
      for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
        writer.member(name, source.text)
      }
    }
    writer.member("outputs", array: outputs(of: step)) {
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
