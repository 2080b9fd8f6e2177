/// Writes a ``ModelDescription`` as a `model.json`.
///
/// What is written reads back as the same description: keys stand in the order in which the
/// documentation lists them, and what has its default value is left out where it may be.
public struct DescriptionWriter: Sendable {
  /// How the text is laid out.
  public var style: JSONWriter.Style

  /// A writer of a layout; people read the indented one.
  public init(_ style: JSONWriter.Style = .indented) {
    self.style = style
  }

  /// The description as the bytes of a `model.json`, with a line feed at the end.
  public func write(_ description: ModelDescription) -> [UInt8] {
    var writer = JSONWriter(style)
    writer.object { $0.members(of: description) }
    return writer.bytes + [ASCII.lineFeed]
  }
}

extension ModelDescription {
  /// The description as the bytes of a `model.json`.
  public var json: [UInt8] { DescriptionWriter().write(self) }
}

extension JSONWriter {
  fileprivate mutating func members(of description: ModelDescription) {
    card(description)
    if description.isPlaceholder { member("placeholder", true) }
    member("model") { $0.model(description) }
    layers("inputs", description.inputs, as: .input)
    layers("outputs", description.outputs, as: .output)
    if !description.placeholders.isEmpty {
      layers("placeholders", description.placeholders, as: .placeholder)
    }
    options(description.options)
    training(description)
    if let own = description.interfaces[.evaluate] { member("eval") { $0.members(of: own) } }
    if !description.state.isEmpty { state(description.state) }
    if let task = description.task { self.task(task) }
    if !description.examples.isEmpty { examples(description.examples) }
  }

  private mutating func card(_ description: ModelDescription) {
    member("name", description.name)
    member("details", description.details)
    member("id", description.id)
    member("version", description.version)
    member("author", description.author)
    member("license", description.license)
  }

  private mutating func model(_ description: ModelDescription) {
    member("file", description.modelFile)
    member("quantized", description.isQuantized)
    optional("type", description.type)
    optional("class", description.className)
    optional("backend", description.backend?.rawValue)
    texts("modes", ModelMode.allCases.filter(description.modes.contains).map(\.rawValue))
  }

  private mutating func layers(
    _ key: String, _ layers: [Layer], as role: DescriptionReading.Role
  ) {
    member(
      key,
      array: { writer in
        for layer in layers {
          writer.object { $0.members(of: layer, as: role) }
        }
      })
  }

  private mutating func training(_ description: ModelDescription) {
    guard !description.trainingOperations.isEmpty else { return }
    member("train") { writer in
      writer.texts("ops", description.trainingOperations)
      if let own = description.interfaces[.train] { writer.members(of: own) }
    }
  }

  private mutating func members(of mode: ModeInterface) {
    optional("file", mode.modelFile)
    if let inputs = mode.inputs { layers("inputs", inputs, as: .input) }
    if let outputs = mode.outputs { layers("outputs", outputs, as: .output) }
    if let placeholders = mode.placeholders {
      layers("placeholders", placeholders, as: .placeholder)
    }
  }

  private mutating func options(_ options: BundleOptions) {
    guard options != BundleOptions() else { return }
    member("options") { writer in
      writer.optional("device_position", options.devicePosition?.rawValue)
      if !options.outputFormat.isEmpty { writer.member("output_format", options.outputFormat) }
      writer.texts(ofJSON: options.extra)
    }
  }

  private mutating func state(_ links: [StateLink]) {
    member(
      "state",
      array: { writer in
        for link in links {
          writer.object { writer in
            writer.member("output", link.output)
            writer.member("input", link.input)
          }
        }
      })
  }

  private mutating func task(_ task: ModelTask) {
    member("task") { writer in
      writer.member("type", task.type)
      writer.texts(ofJSON: task.settings)
    }
  }

  private mutating func examples(_ examples: [ModelExample]) {
    member(
      "examples",
      array: { writer in
        for example in examples { writer.object { $0.members(of: example) } }
      })
  }

  private mutating func members(of example: ModelExample) {
    key("input")
    json(example.input.utf8)
    if !example.output.isEmpty { member("output") { $0.texts(ofJSON: example.output) } }
    if example.tolerance != ModelExample.standardTolerance {
      member("tolerance", example.tolerance)
    }
  }

  /// Writes members whose values are JSON already, by their names.
  private mutating func texts(ofJSON texts: [String: String]) {
    for (key, json) in texts.sorted(by: { $0.key < $1.key }) {
      self.key(key)
      self.json(json.utf8)
    }
  }
}

extension JSONWriter {
  /// Writes a member whose value is an object.
  mutating func member(_ name: String, _ members: (inout JSONWriter) -> Void) {
    member(name, object: members)
  }

  /// Writes a member whose value is an array of strings.
  mutating func texts(_ name: String, _ texts: [String]) {
    member(name, array: { writer in texts.forEach { writer.value($0) } })
  }

  /// Writes a member where there is a value for it.
  mutating func optional(_ name: String, _ text: String?) {
    if let text { member(name, text) }
  }
}
