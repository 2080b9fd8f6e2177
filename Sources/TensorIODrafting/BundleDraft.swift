package import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import TensorIOSystem

/// A description of a bare model, with what each value of it is founded on.
package struct BundleDraft: Sendable {
  /// The description.
  package private(set) var description: ModelDescription
  /// The labels to put beside the model, where there are any.
  private(set) var labels: [String]?
  /// Where the values come from.
  package private(set) var draftedValues: [DraftedValue] = []

  /// The name of the labels in every drafted bundle.
  static let labelsFileName = "labels.txt"

  /// Drafts a description.
  package init(from material: DraftSources) {
    let states = StatePairs(material.signature)
    let inputs = InputDraft(material, states)
    let outputs = OutputDraft(material, states, hasImageInput: inputs.firstImageIndex != nil)
    description = ModelDescription(
      modelFile: material.bundledModelName, backend: material.backend, inputs: inputs.layers,
      outputs: outputs.layers)
    description.isQuantized = Self.isQuantized(material.signature, inputs.firstImageIndex)
    if outputs.isDetection { description.task = ModelTask(type: "detection") }
    if outputs.isEmbedding { description.task = ModelTask(type: "embedding") }
    addStateLinks(states)
    labels = outputs.labels?.labels ?? material.labels?.labels
    setIdentity(from: material)
    draftedValues += material.exportMetadata.map { $0.draftedValues(comparedWith: material.signature) } ?? []
    draftedValues += inputs.draftedValues + outputs.draftedValues
  }

  /// A picture's tensor decides, because a picture's layer cannot name a type of its own.
  private static func isQuantized(_ signature: ModelSignature, _ picture: Int?) -> Bool {
    let tensors = picture.map { [signature.inputs[$0]] } ?? signature.inputs + signature.outputs
    return tensors.allSatisfy { $0.elementType == .uint8 || $0.elementType == .int8 }
  }

  /// What the model remembers, as far as shapes tell which output goes into which input.
  private mutating func addStateLinks(_ states: StatePairs) {
    for (index, pair) in states.pairs.enumerated() {
      let output = description.outputs[pair.output].name
      let input = description.inputs[pair.input].name
      description.state.append(StateLink(output: output, input: input))
      draftedValues.append(
        DraftedValue(
          path: "/state/\(index)", value: "\(output) goes into \(input)", source: .heuristic,
          reviewNote: "both are alike, which a state is, but not every such pair is one"))
    }
  }

  /// Who made the model, and what for.
  private mutating func setIdentity(from material: DraftSources) {
    let said = material.metadata
    setField("/name", material.name.map { ($0, .arguments) } ?? nonEmptyMetadata(said?.name), material.fileStem) {
      $0.name = $1
    }
    setField("/details", nonEmptyMetadata(said?.details), "") { $0.details = $1 }
    setField("/id", nil, material.fileStem) { $0.id = $1 }
    setField("/version", nonEmptyMetadata(said?.version), "1") { $0.version = $1 }
    setField("/author", nonEmptyMetadata(said?.author), "") { $0.author = $1 }
    setField("/license", nonEmptyMetadata(said?.license), "") { $0.license = $1 }
  }

  private func nonEmptyMetadata(_ text: String?) -> (String, DraftedValue.Source)? {
    text.flatMap { $0.isEmpty ? nil : ($0, .metadata) }
  }

  private mutating func setField(
    _ path: String, _ found: (text: String, source: DraftedValue.Source)?, _ otherwise: String,
    _ set: (inout ModelDescription, String) -> Void
  ) {
    set(&description, found?.text ?? otherwise)
    guard found != nil || !otherwise.isEmpty else { return }
    draftedValues.append(
      DraftedValue(path: path, value: found?.text ?? otherwise, source: found?.source ?? .heuristic))
  }
}

extension BundleDraft {
  /// Writes the bundle beside its final place; it appears there complete or not at all.
  package func write(model: String, to path: String, overwriting: Bool) throws(ArchiveError) {
    try Staging.directory(at: path, overwriting: overwriting, mapError: ArchiveError.init) {
      (staging) throws(ArchiveError) in
      do throws(FileError) {
        let source = FilePath.resolved(model) ?? model
        try FileSystem.copy(source, to: staging + "/" + description.modelFile)
        try AtomicFile.write(description.json, to: staging + "/model.json")
        guard let labels else { return }
        try FileSystem.createDirectory(staging + "/assets")
        try AtomicFile.write(
          Array(labels.map { $0 + "\n" }.joined().utf8),
          to: staging + "/assets/" + Self.labelsFileName)
      } catch {
        throw ArchiveError(.writeFailed(path, detail: error.message))
      }
    }
  }
}
