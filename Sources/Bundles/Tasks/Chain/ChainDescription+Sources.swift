import TensorIOBundle
import TensorIOJSON

// The names of a chain: a source is an input of the chain, an earlier step, or an output of one.
extension ChainDescription {
  /// Replaces the names of sources by what they refer to, and reports those that refer to nothing.
  mutating func resolveSources(_ fields: ObjectFields, _ reader: inout FormatReader) {
    let nodes = (fields["steps"]?.elements.map(Array.init) ?? []).filter { $0.kind == .object }
    var known: [String] = []
    for (index, node) in zip(steps.indices, nodes) {
      let name = steps[index].name
      if let node = node["name"], !name.isEmpty, (inputs + known).contains(name) {
        reader.log.error(
          .duplicateName, at: node, expected: "a unique name", "the name is already in use")
      }
      let names = StepNames(inputs: inputs, steps: known)
      steps[index].kind = names.resolved(steps[index].kind, node, &reader)
      known.append(name)
    }
    reportUnusedInputs(fields, &reader)
  }

  /// An input that no bundle uses has no type, so a caller's value could not be converted.
  private func reportUnusedInputs(_ fields: ObjectFields, _ reader: inout FormatReader) {
    let used = steps.flatMap { step -> [ChainSource] in
      if case .bundle(_, let sources) = step.kind { Array(sources.values) } else { [] }
    }
    guard !reader.log.hasErrors else { return }
    for (name, node) in zip(inputs, fields["inputs"]?.elements.map(Array.init) ?? [])
    where !used.contains(.input(name)) {
      reader.log.error(
        .unusedInput, at: node, expected: "an input that a bundle uses",
        "the input \"\(name)\" is not passed to any bundle")
    }
  }
}

/// The names that a step can refer to.
private struct StepNames {
  let inputs: [String]
  let steps: [String]

  func resolved(
    _ kind: ChainStep.Kind, _ step: JSONNode, _ reader: inout FormatReader
  ) -> ChainStep.Kind {
    switch kind {
    case .bundle(let name, let sources):
      let nodes = step["inputs"]?.members.map(Array.init) ?? []
      var resolved: [String: ChainSource] = [:]
      for node in nodes {
        if let source = sources[node.name] {
          resolved[node.name] = self.source(source, node.value, &reader)
        }
      }
      return .bundle(name, inputs: resolved)
    case .align(var alignment):
      alignment.image = image(alignment.image, step["align"], &reader)
      checkStep(alignment.detections, step["align"], &reader)
      return .align(alignment)
    case .refine(var refinement):
      refinement.image = image(refinement.image, step["refine"], &reader)
      checkStep(refinement.detections, step["refine"], &reader)
      return .refine(refinement)
    case .region(var region):
      region.image = image(region.image, step["region"], &reader)
      checkStep(region.objects, step["region"], &reader)
      return .region(region)
    case .crop(var crop):
      crop.image = image(crop.image, step["crop"], &reader)
      checkStep(crop.lines, step["crop"], &reader)
      return .crop(crop)
    case .turn(var turn):
      turn.image = image(turn.image, step["turn"], &reader)
      checkStep(turn.classes, step["turn"], &reader, key: "classes")
      return .turn(turn)
    }
  }

  /// Returns what the source of an operation's image refers to.
  private func image(
    _ source: ChainSource, _ operation: JSONNode?, _ reader: inout FormatReader
  ) -> ChainSource {
    // An invalid source is reported already.
    source == .input("") ? source : self.source(source, operation?["picture"], &reader)
  }

  /// Returns what the name of a source refers to.
  private func source(
    _ source: ChainSource, _ node: JSONNode?, _ reader: inout FormatReader
  ) -> ChainSource {
    guard case .input(let text) = source, let node else { return source }
    if inputs.contains(text) { return source }
    for step in steps {
      if text == step { return .step(step, output: nil) }
      if text.hasPrefix(step + ".") {
        return .step(step, output: String(text.dropFirst(step.count + 1)))
      }
    }
    reader.reportUnknownName(
      node, .unknownInput,
      expected: "an input of the chain, or STEP or STEP.OUTPUT of an earlier step",
      message: "no chain input or earlier step has this name", among: inputs + steps)
    return source
  }

  private func checkStep(
    _ name: String, _ operation: JSONNode?, _ reader: inout FormatReader, key: String = "detections"
  ) {
    guard let node = operation?[key], node.string == name, !name.isEmpty,
      !steps.contains(name)
    else { return }
    reader.reportUnknownName(
      node, .unknownInput, expected: "the name of an earlier step",
      message: "no earlier step has this name", among: steps)
  }
}
