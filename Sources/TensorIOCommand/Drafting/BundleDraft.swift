internal import TensorIOCore
internal import TensorIOLiteRT

/// A description of a bare model, with what each value of it is founded on.
struct BundleDraft: Sendable {
  /// The description.
  private(set) var description: ModelDescription
  /// The labels to put beside the model, where there are any.
  private(set) var labels: [String]?
  /// Where the values come from.
  private(set) var findings: [DraftFinding] = []

  /// The name of the labels in every drafted bundle.
  static let labelsName = "labels.txt"

  /// Drafts a description.
  init(of material: DraftMaterial) {
    let states = StatePairs(material.signature)
    let inputs = InputDraft(material, states)
    let outputs = OutputDraft(material, states, hasPicture: inputs.picture != nil)
    description = ModelDescription(
      modelFile: material.modelName, backend: material.backend, inputs: inputs.layers,
      outputs: outputs.layers)
    description.isQuantized = Self.isQuantized(material.signature, inputs.picture)
    if outputs.isDetection { description.task = ModelTask(type: "detection") }
    if outputs.isEmbedding { description.task = ModelTask(type: "embedding") }
    linkState(states)
    labels = outputs.labels?.labels ?? material.labels?.labels
    describe(material)
    findings += material.export.map { $0.findings(against: material.signature) } ?? []
    findings += inputs.findings + outputs.findings
  }

  /// A picture's tensor decides, because a picture's layer cannot name a type of its own.
  private static func isQuantized(_ signature: ModelSignature, _ picture: Int?) -> Bool {
    let tensors = picture.map { [signature.inputs[$0]] } ?? signature.inputs + signature.outputs
    return tensors.allSatisfy { $0.elementType == .uint8 || $0.elementType == .int8 }
  }

  /// What the model remembers, as far as shapes tell which output goes into which input.
  private mutating func linkState(_ states: StatePairs) {
    for (index, pair) in states.pairs.enumerated() {
      let output = description.outputs[pair.output].name
      let input = description.inputs[pair.input].name
      description.state.append(StateLink(output: output, input: input))
      findings.append(
        DraftFinding(
          path: "/state/\(index)", value: "\(output) goes into \(input)", source: .guess,
          doubt: "both are alike, which a state is, but not every such pair is one"))
    }
  }

  /// Who made the model, and what for.
  private mutating func describe(_ material: DraftMaterial) {
    let said = material.metadata
    note("/name", material.name.map { ($0, .arguments) } ?? known(said?.name), material.stem) {
      $0.name = $1
    }
    note("/details", known(said?.details), "") { $0.details = $1 }
    note("/id", nil, material.stem) { $0.id = $1 }
    note("/version", known(said?.version), "1") { $0.version = $1 }
    note("/author", known(said?.author), "") { $0.author = $1 }
    note("/license", known(said?.license), "") { $0.license = $1 }
  }

  private func known(_ text: String?) -> (String, DraftFinding.Source)? {
    text.flatMap { $0.isEmpty ? nil : ($0, .metadata) }
  }

  private mutating func note(
    _ path: String, _ found: (text: String, source: DraftFinding.Source)?, _ otherwise: String,
    _ set: (inout ModelDescription, String) -> Void
  ) {
    set(&description, found?.text ?? otherwise)
    guard found != nil || !otherwise.isEmpty else { return }
    findings.append(
      DraftFinding(path: path, value: found?.text ?? otherwise, source: found?.source ?? .guess))
  }
}
