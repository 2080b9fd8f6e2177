package import TensorIOJSON

/// Rules that involve more than one part of a description.
extension ModelDescription {
  static let rules: [ObjectFormat<ModelDescription>.Rule] = [
    { _, root, reader in reader.checkNames(in: ["inputs", "placeholders"], of: root) },
    { _, root, reader in reader.checkNames(in: ["outputs"], of: root) },
    { _, root, reader in reader.checkNamesOfModes(root) },
    { description, root, reader in reader.checkExampleNames(description.defaultMode, root) },
    { description, root, reader in reader.checkTask(description, root) },
    { _, root, reader in reader.checkTextSources(root) },
    { description, root, reader in reader.checkFunctions(description, root) },
    { description, root, reader in reader.checkCalibrations(description, root) },
  ]
}

extension FormatReader {
  /// Checks that the names of layers in some lists differ.
  ///
  /// Names are compared as strings, not as bytes, because applications use them as dictionary keys.
  fileprivate mutating func checkNames(in keys: [String], of root: ObjectFields) {
    checkNames(of: keys.compactMap { root[$0] }, alongside: [])
  }

  /// Checks the layers of modes, together with those that a mode inherits.
  fileprivate mutating func checkNamesOfModes(_ root: ObjectFields) {
    for function in root.node.functions {
      for key in ["inputs", "outputs"] {
        checkNames(of: [function[key]].compactMap(\.self), alongside: [])
      }
    }
    for mode in ["train", "eval"].compactMap({ root[$0] }) {
      let keys = ["inputs", "placeholders"]
      checkNames(
        of: keys.compactMap { mode[$0] },
        alongside: keys.filter { mode[$0] == nil }.compactMap { root[$0] })
      checkNames(of: [mode["outputs"]].compactMap(\.self), alongside: [])
    }
  }

  private mutating func checkNames(of lists: [JSONNode], alongside others: [JSONNode]) {
    var seen: [String: JSONNode] = [:]
    for (node, name) in others.flatMap(\.layerNames) { seen[name] = seen[name] ?? node }
    for (node, name) in lists.flatMap(\.layerNames) where !log.isFull {
      if let first = seen[name] {
        log.error(
          .duplicateName, at: node, expected: "a unique name", "duplicate layer name",
          suggestion: "the name is first used at \(first.position)")
      } else {
        seen[name] = node
      }
    }
  }

  /// Checks that examples name existing layers of the mode in which they are run.
  fileprivate mutating func checkExampleNames(_ mode: ModelMode, _ root: ObjectFields) {
    let inputs = names(in: ["inputs", "placeholders"], of: mode, root)
    let outputs = names(in: ["outputs"], of: mode, root)
    for example in root["examples"]?.elements.map(Array.init) ?? [] {
      checkNames(in: example["input"], against: inputs, .unknownInput)
      checkNames(in: example["output"], against: outputs, .unknownOutput)
    }
  }

  private mutating func checkNames(
    in named: JSONNode?, against names: [String]?, _ code: DiagnosticCode
  ) {
    guard let names else { return }
    for member in named?.members.map(Array.init) ?? [] where !log.isFull {
      if !names.contains(member.name) { reportUnknownName(member.key, code, among: names) }
    }
  }

  /// Returns the names of all layers in some lists, or `nil` if a list is invalid, to avoid
  /// follow-up errors.
  private func names(
    in keys: [String], of mode: ModelMode, _ root: ObjectFields
  ) -> [String]? {
    let lists = keys.compactMap { root[mode.rawValue]?[$0] ?? root[$0] }
    let names = lists.flatMap(\.layerNames).map(\.name)
    let isComplete =
      lists.allSatisfy { $0.kind == .array } && names.count == lists.reduce(0) { $0 + $1.count }
    return isComplete && lists.first?.count != 0 && !names.isEmpty ? names : nil
  }

  /// Checks that layers that share a text name a layer with a tokenizer.
  fileprivate mutating func checkTextSources(_ root: ObjectFields) {
    for list in root.node.sections.compactMap({ $0["inputs"]?.elements.map(Array.init) }) {
      let names = list.filter { $0["tokenizer"] != nil }.compactMap { $0["name"]?.string }
      for layer in list where !log.isFull {
        guard let node = layer["same_text_as"], let name = node.string, !names.contains(name)
        else { continue }
        reportUnknownName(
          node, .unknownInput, expected: "the name of a text input with a tokenizer",
          message: "no text input with a tokenizer is named \(node.excerpt)", among: names)
      }
    }
  }

  /// Checks that caches name functions, and what functions take or return.
  fileprivate mutating func checkFunctions(
    _ description: ModelDescription, _ root: ObjectFields
  ) {
    // Avoids follow-up errors if a function is invalid.
    guard !log.hasErrors else { return }
    checkFunctionsOfFeatures(root, description.functions.keys.sorted())
    for cache in root["caches"]?.elements.map(Array.init) ?? [] where !log.isFull {
      guard let node = cache["function"], let name = node.string else { continue }
      guard let function = description.functions[name] else {
        reportUnknownName(
          node, .unknownFunction, expected: "the name of a function",
          message: "unknown function \(node.excerpt)", among: description.functions.keys.sorted())
        continue
      }
      let layers = [function.inputs, function.outputs].compactMap(\.self).joined()
      let names = layers.map(\.name)
      guard let output = cache["output"], let pattern = output.string,
        !names.contains(where: CacheLink(output: pattern, input: pattern).matches)
      else { continue }
      reportUnknownName(output, .unknownOutput, among: names)
    }
  }

  /// Checks that features name functions, which have no functions.
  private mutating func checkFunctionsOfFeatures(_ root: ObjectFields, _ names: [String]) {
    let functions = root.node.functions.map(\.range.lowerBound)
    for section in root.node.sections {
      let known = functions.contains(section.range.lowerBound) ? [] : names
      for layer in section["inputs"]?.elements.map(Array.init) ?? [] where !log.isFull {
        guard let node = layer["features"]?["function"], let name = node.string,
          !known.contains(name)
        else { continue }
        reportUnknownName(
          node, .unknownFunction, expected: "the name of a function",
          message: "unknown function \(node.excerpt)", among: known)
      }
    }
  }

  /// Checks that calibrated outputs have scores that belong to labels or to detections.
  fileprivate mutating func checkCalibrations(
    _ description: ModelDescription, _ root: ObjectFields
  ) {
    // Avoids follow-up errors if the task or the outputs are invalid.
    guard !log.hasErrors else { return }
    let hasLabeledScores =
      description.task.map { task in
        names.tasks.map { $0.format(of: task)?.hasLabeledScores(task) ?? false } ?? true
      } ?? false
    for group in root.node.sections.compactMap({ $0["outputs"] }) {
      for layer in group.elements.map(Array.init) ?? [] where !log.isFull {
        guard let node = layer["calibration"], LayerType(of: layer) == .array else { continue }
        let role = layer["role"]?.string
        let isScores = role == OutputRole.scores.name
        let isLabeled = layer["labels"] != nil && (role == nil || isScores)
        guard !isLabeled, !(isScores && hasLabeledScores) else { continue }
        log.error(
          .misplacedCalibration, at: node, expected: "scores of labels",
          "this output has no scores to calibrate",
          suggestion: "calibrate an output with labels, or the scores of a detector without a head")
      }
    }
  }
}

// MARK: State

extension FormatReader {
  /// Reads the links between outputs and inputs of the default mode.
  mutating func links(_ node: JSONNode, in description: ModelDescription) -> [StateLink]? {
    guard let elements = elements(node, of: "objects") else { return nil }
    let layers = description.resolved(for: description.defaultMode)
    var links: [StateLink] = []
    for element in elements where !log.isFull {
      guard let link = StateLink.format.read(element, &self) else { continue }
      checkLink(link, element, in: layers)
      if links.contains(where: { $0.input == link.input }), let node = element["input"] {
        log.error(
          .duplicateName, at: node, expected: "an input that is not linked to another output",
          "two outputs are linked to the same input")
      }
      links.append(link)
    }
    return links
  }

  /// Layers are looked up only if there are no errors yet, because invalid ones are not known.
  private mutating func checkLink(
    _ link: StateLink, _ fields: JSONNode, in description: ModelDescription
  ) {
    guard !log.hasErrors else { return }
    let source = layer(link.output, fields["output"], description.outputs, .unknownOutput)
    let target = layer(link.input, fields["input"], description.inputs, .unknownInput)
    guard let source, let target else { return }
    let isCompatible =
      source.isNumeric && target.isNumeric && source.elementCount == target.elementCount
    guard !isCompatible else { return }
    log.error(
      .stateMismatch, at: fields,
      expected: "a numeric output and input with the same element count",
      "output '\(source.name)' is incompatible with input '\(target.name)'")
  }

  private mutating func layer(
    _ name: String, _ node: JSONNode?, _ layers: [Layer], _ code: DiagnosticCode
  ) -> Layer? {
    if let layer = layers.first(where: { $0.name == name }) { return layer }
    if let node { reportUnknownName(node, code, among: layers.map(\.name)) }
    return nil
  }
}

// MARK: Task

extension FormatReader {
  /// Returns the format of a task that the reader knows, after checking the settings.
  mutating func checkedFormat(of task: TaskDescription, _ node: JSONNode) -> TaskFormat? {
    guard let format = names.tasks?.format(of: task) else { return nil }
    _ = format.settingsFormat(named: task.type).read(node, &self)
    return format
  }

  /// Checks that the model and its functions have the outputs that their tasks require.
  fileprivate mutating func checkTask(_ description: ModelDescription, _ root: ObjectFields) {
    let outputs = description.resolved(for: description.defaultMode).outputs
    checkTask(description.task, outputs, root["task"]?["type"])
    for (name, function) in description.functions.sorted(by: { $0.key < $1.key }) {
      checkTask(
        function.task, function.outputs ?? [], root["functions"]?[name]?["task"]?["type"])
    }
  }

  private mutating func checkTask(
    _ task: TaskDescription?, _ outputs: [Layer], _ node: JSONNode?
  ) {
    guard let tasks = names.tasks, let task, let node else { return }
    guard let format = tasks.format(of: task) else { return reportUnknownTask(node, tasks) }
    // Avoids follow-up errors if outputs are invalid.
    guard !log.hasErrors else { return }
    for required in format.requiredOutputs where !required.isSatisfied(outputs, task) {
      log.error(
        .missingRole, at: node, expected: required.requirement,
        "the task requires \(required.requirement)",
        suggestion: "declare the roles of the outputs with \"role\"")
    }
  }

  private mutating func reportUnknownTask(_ node: JSONNode, _ tasks: TaskRegistry) {
    let types = tasks.formats.flatMap(\.names)
    let match = Spelling.closestMatch(to: node.string ?? "", among: types)
    log.warning(
      .unknownTask, at: node,
      expected: "one of \(types.map { "\"\($0)\"" }.joined(separator: ", "))",
      "unknown task \(node.excerpt); its results will not be interpreted",
      suggestion: match.map { "did you mean \"\($0)\"?" })
  }
}

extension JSONNode {
  /// The objects of a description that can have inputs and outputs: the description, its modes and its functions.
  package var sections: [JSONNode] {
    [self] + [self["train"], self["eval"]].compactMap(\.self) + functions
  }

  /// The functions of a description.
  fileprivate var functions: [JSONNode] { self["functions"]?.members?.map(\.value) ?? [] }

  /// The names of the layers in a list, with their nodes.
  fileprivate var layerNames: [(node: JSONNode, name: String)] {
    (elements.map(Array.init) ?? []).compactMap { layer in
      guard let node = layer["name"], let name = node.string else { return nil }
      return (node, name)
    }
  }
}
