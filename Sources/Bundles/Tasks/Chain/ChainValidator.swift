package import TensorIOBundle
import TensorIOJSON

extension ChainDescription {
  /// Returns the incompatibilities between steps, given the descriptions of their bundles by step
  /// name.
  package func compatibilityDiagnostics(for bundles: [String: ModelDescription]) -> [Diagnostic] {
    var validator = ChainValidator(
      chain: self, models: bundles.mapValues { $0.resolved(for: $0.defaultMode) })
    for (index, step) in steps.enumerated() { validator.check(step, at: "/steps/\(index)") }
    return validator.diagnostics
  }
}

/// Checks the connections between steps.
private struct ChainValidator {
  let chain: ChainDescription
  let models: [String: ModelDescription]
  private(set) var diagnostics: [Diagnostic] = []

  init(chain: ChainDescription, models: [String: ModelDescription]) {
    (self.chain, self.models) = (chain, models)
  }

  mutating func check(_ step: ChainStep, at path: String) {
    switch step.kind {
    case .bundle(_, let sources): check(sources, of: step, at: "\(path)/inputs")
    case .align(let alignment):
      checkDetector(alignment.detections, at: "\(path)/align")
      checkPoints(alignment, at: "\(path)/align/points")
    case .refine(let refinement):
      checkDetector(refinement.detections, at: "\(path)/refine")
      checkImage(refinement, at: "\(path)/refine/picture")
    case .region(let region): check(region, at: "\(path)/region")
    case .crop(let crop): checkLines(crop.lines, at: "\(path)/crop")
    case .turn: break
    }
  }

  // MARK: Inputs

  private mutating func check(
    _ sources: [String: ChainSource], of step: ChainStep, at path: String
  ) {
    guard let model = models[step.name] else { return }
    for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
      let pointer = "\(path)/\(JSONPointer.escape(name))"
      guard let input = model.inputs.first(where: { $0.name == name }) else {
        let names = model.inputs.map(\.name)
        report(
          .unknownInput, pointer, "an input of the bundle: \(names.joined(separator: ", "))", name,
          nearest: Spelling.closestMatch(to: name, among: names))
        continue
      }
      if let value = sourceValue(source, at: pointer) { check(value, for: input, at: pointer) }
    }
    for input in model.callerInputs where sources[input.name] == nil {
      report(
        .missingKey, "\(path)/\(JSONPointer.escape(input.name))",
        "a source for the bundle's input \"\(input.name)\"", "nothing")
    }
  }

  /// The kind of value that a source has.
  private enum SourceValue {
    case image
    case numbers(Int?)
  }

  private mutating func sourceValue(_ source: ChainSource, at path: String) -> SourceValue? {
    guard case .step(let name, let output) = source,
      let step = chain.steps.first(where: { $0.name == name })
    else { return nil }
    switch step.kind {
    case .bundle: return sourceValue(output, of: name, at: path)
    case .align(let alignment):
      if let output { reportUnknownOutput(output, of: name, at: path) }
      return alignment.whitens ? .numbers(alignment.width * alignment.height * 3) : .image
    case .refine:
      report(.unknownInput, path, "a step with an output", name)
      return nil
    case .region, .crop, .turn:
      if let output { reportUnknownOutput(output, of: name, at: path) }
      return .image
    }
  }

  private mutating func sourceValue(
    _ output: String?, of step: String, at path: String
  ) -> SourceValue? {
    guard let model = models[step] else { return nil }
    if output == nil, model.outputs.count > 1 {
      diagnostics.append(
        Diagnostic(
          .warning, .unknownOutput, path: path,
          expected: "\(step).OUTPUT", found: step,
          message: "the step has several outputs; the first one is used"))
    }
    let layer =
      output.map { name in model.outputs.first { $0.name == name } } ?? model.outputs.first
    guard let layer else {
      reportUnknownOutput(output ?? "", of: step, at: path)
      return nil
    }
    if case .image = layer.kind { return .image }
    return .numbers(layer.elementCount)
  }

  private mutating func reportUnknownOutput(_ output: String, of step: String, at path: String) {
    let names = models[step]?.outputs.map(\.name) ?? []
    report(
      .unknownOutput, path,
      names.isEmpty ? step : names.map { "\(step).\($0)" }.joined(separator: ", "),
      "\(step).\(output)", nearest: Spelling.closestMatch(to: output, among: names))
  }

  private mutating func check(_ value: SourceValue, for input: Layer, at path: String) {
    let isImage = if case .image = input.kind { true } else { false }
    switch value {
    case .image where !isImage: report(.wrongType, path, input.typeName, "an image")
    case .numbers(let count?):
      guard let expectedCount = input.elementCount, expectedCount != count else { return }
      report(.valueCount, path, "\(expectedCount) numbers", "\(count)")
    case .image, .numbers: break
    }
  }

  private mutating func checkLines(_ name: String, at path: String) {
    guard let model = models[name], !model.resultForms.contains(.lines) else { return }
    report(
      .missingRole, "\(path)/detections", "a bundle with a task that finds lines of text", name)
  }

  // MARK: Detections

  private mutating func checkDetector(_ name: String, at path: String) {
    // What a task requires of its own outputs has been checked.
    guard let model = detector(name), !model.resultForms.contains(.boxes) else { return }
    let missing = [OutputRole.boxes, .scores].filter { (role: OutputRole) in
      !model.outputs.contains { $0.role == role }
    }
    for role in missing {
      report(
        .missingRole, "\(path)/detections",
        "a bundle with an output that has the role \"\(role.name)\"", name)
    }
  }

  private mutating func checkPoints(_ alignment: Alignment, at path: String) {
    guard !alignment.points.isEmpty, let model = detector(alignment.detections) else { return }
    guard let points = model.outputs.first(where: { $0.role == .keypoints }) else {
      return report(
        .missingRole, path, "a bundle with an output that has the role \"keypoints\"",
        alignment.detections)
    }
    let boxes = model.outputs.first { $0.role == .boxes }
    guard let rows = boxes?.elementCount.map({ $0 / 4 }), rows > 0,
      let available = points.elementCount.map({ $0 / rows / 2 }), available < alignment.points.count
    else { return }
    report(.valueCount, path, "at most \(available) points", "\(alignment.points.count)")
  }

  private mutating func checkImage(_ refinement: Refinement, at path: String) {
    guard let step = chain.detectorStep(for: refinement.detections),
      case .bundle(_, let sources) = step.kind, !sources.values.contains(refinement.image)
    else { return }
    report(.unknownInput, path, "the input image of the detector", refinement.image.text)
  }

  private mutating func check(_ region: RegionCrop, at path: String) {
    guard let model = detector(region.objects) else { return }
    let hasPoses = model.outputs.contains { $0.role == .keypoints || $0.role == .heatmap }
    let hasBoxes = model.outputs.contains { $0.role == .boxes }
    if !hasBoxes, !hasPoses {
      report(
        .missingRole, "\(path)/detections",
        "a bundle with an output that has the role \"boxes\" or \"keypoints\"", region.objects)
    }
    // The boxes of some heads contain the keypoints.
    let isHead = model.task?.settings["head"] != nil
    if !hasPoses, !isHead, region.rotation != nil || !region.keypoints.isEmpty {
      report(
        .missingRole, "\(path)/\(region.rotation == nil ? "keypoints" : "rotate")",
        "a bundle with an output that has the role \"keypoints\"", region.objects)
    }
  }

  private func detector(_ name: String) -> ModelDescription? {
    chain.detectorStep(for: name).flatMap { models[$0.name] }
  }

  private mutating func report(
    _ code: DiagnosticCode, _ path: String, _ expected: String, _ found: String,
    nearest: String? = nil
  ) {
    diagnostics.append(
      Diagnostic(
        .error, code, path: path, expected: expected, found: found,
        message: "expected \(expected), found \(found)",
        suggestion: nearest.map { "did you mean \"\($0)\"?" }))
  }
}

extension ChainSource {
  /// The source in the syntax of `chain.json`.
  package var text: String {
    switch self {
    case .input(let name): name
    case .step(let name, let output): output.map { "\(name).\($0)" } ?? name
    }
  }
}
