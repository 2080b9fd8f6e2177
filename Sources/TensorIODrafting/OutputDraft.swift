import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOLiteRT

/// The outputs of a drafted description.
struct OutputDraft: Sendable {
  private(set) var layers: [Layer] = []
  private(set) var draftedValues: [DraftedValue] = []
  /// The labels as the outputs want them.
  private(set) var labels: LabelList?
  /// Whether the outputs together are the detections of a detector.
  var isDetection: Bool { roles.isDetection }
  /// Whether the output is what makes things alike.
  var isEmbedding: Bool { embedding != nil }

  private let sources: DraftSources
  private let states: StatePairs
  private let roles: DetectorRoles
  private let hasImageInput: Bool
  private let labeledOutput: LabeledOutput?
  private let embedding: Int?
  private var names = UniqueLayerNames()

  init(_ material: DraftSources, _ states: StatePairs, hasImageInput: Bool) {
    self.sources = material
    self.states = states
    self.hasImageInput = hasImageInput
    roles = DetectorRoles(material)
    labeledOutput = LabeledOutput(material, roles, states)
    embedding = labeledOutput == nil ? EmbeddingOutput.index(in: material, states) : nil
    labels = labeledOutput?.list
    for index in material.signature.outputs.indices { add(index) }
    addUnusedLabels()
  }

  private mutating func add(_ index: Int) {
    let tensor = sources.signature.outputs[index]
    let role = roles.role(of: index) ?? (embedding == index ? .embedding : nil)
    let isLabelled = labeledOutput?.index == index
    let picture = hasImageInput && role == nil && !isLabelled ? self.imageLayer(index) : nil
    let kind = picture.map { Layer.Kind.image($0) } ?? .array(numericLayer(index, tensor))
    let name =
      sources.requiredName(of: tensor)
      ?? names.reserve(self.name(index, tensor, role, isLabelled, picture != nil))
    let ownRole = role ?? (isLabelled ? labeledOutput?.role : nil)
    addDraftedName(index, name, role)
    layers.append(Layer(name: name, kind: kind, role: ownRole))
  }

  private func name(
    _ index: Int, _ tensor: TensorInfo, _ role: OutputRole?, _ isLabelled: Bool, _ isPicture: Bool
  ) -> String {
    if let role { return role.rawValue }
    if let said = sources.metadata(forOutput: index)?.name, !said.isEmpty { return said }
    if isLabelled { return labeledOutput?.role?.rawValue ?? "classification" }
    return isPicture ? "image" : UniqueLayerNames.shortName(of: tensor.name, default: "output")
  }

  private mutating func addDraftedName(_ index: Int, _ name: String, _ role: OutputRole?) {
    let path = "/outputs/\(index)"
    if let role {
      let isGuess = role == .embedding
      draftedValues.append(
        DraftedValue(
          path: path + "/role", value: role.rawValue, source: isGuess ? .heuristic : roles.source,
          reviewNote: isGuess ? EmbeddingOutput.reviewNote : roles.reviewNote))
      return
    }
    let isSaid = sources.metadata(forOutput: index).map { $0.name == name } ?? false
    let source: DraftedValue.Source = isSaid ? .metadata : .tensors
    draftedValues.append(DraftedValue(path: path + "/name", value: name, source: source))
  }

  // MARK: Pictures

  private mutating func imageLayer(_ index: Int) -> ImageLayer? {
    let tensor = sources.signature.outputs[index]
    guard let shape = ImageTensorShape(tensor, sources.metadata(forOutput: index)?.content),
      shape.format == .rgb, !states.outputs.contains(index)
    else { return nil }
    let isFloat = tensor.elementType.isFloatingPoint
    draftedValues.append(
      DraftedValue(
        path: "/outputs/\(index)/denormalize",
        value: isFloat ? StandardRange.zeroToOne.rawValue : "none: bytes are pixels",
        source: isFloat ? .heuristic : .tensors,
        reviewNote: isFloat ? "nothing in the model says so; it may give [-1,1] or 0 to 255" : nil))
    return ImageLayer(
      shape: shape.shape, height: shape.height, width: shape.width, format: shape.format,
      layout: shape.layout, denormalize: isFloat ? .denormalizing(from: .zeroToOne) : nil)
  }

  // MARK: Numbers

  private mutating func numericLayer(_ index: Int, _ tensor: TensorInfo) -> NumericLayer {
    let shape = tensor.shape.withFixedNonBatchAxes
    draftedValues.append(
      DraftedValue(
        path: "/outputs/\(index)/shape", value: "\(tensor.elementType) \(shape)",
        source: .tensors))
    var layer = NumericLayer(
      shape: shape, elementType: tensor.elementType.declarable,
      dequantize: dequantization(index, tensor))
    guard let labeledOutput, labeledOutput.index == index else { return layer }
    layer.labelsFile = BundleDraft.labelsFileName
    layer.labelOffset = labeledOutput.labelOffset
    draftedValues.append(labeledOutput.draftedValue)
    return layer
  }

  private mutating func dequantization(_ index: Int, _ tensor: TensorInfo) -> Quantization? {
    guard let code = tensor.quantization, tensor.elementType.isInteger else { return nil }
    let path = "/outputs/\(index)/dequantize"
    guard !states.outputs.contains(index) else {
      let value = "none: a state goes in again as it came out"
      draftedValues.append(DraftedValue(path: path, value: value, source: .heuristic))
      return nil
    }
    let isShare =
      tensor.elementType == .uint8 && code.zeroPoint == 0
      && [1 / 256, 1 / 255].contains { abs(code.scale - $0) < 1e-6 }
    draftedValues.append(
      DraftedValue(
        path: path, value: isShare ? StandardRange.zeroToOne.rawValue : "model",
        source: .tensors))
    return isShare ? .standard(.zeroToOne) : .model
  }

  // MARK: Labels

  private mutating func addUnusedLabels() {
    guard let list = sources.labels, labeledOutput == nil else { return }
    draftedValues.append(
      DraftedValue(
        path: "/outputs", value: "\(list.labels.count) labels in assets", source: list.source,
        reviewNote: "no output has as many values: add \"labels\" to the one that they name"))
  }
}

/// Which output makes things alike, where the names of a model say that one does.
enum EmbeddingOutput {
  static let reviewNote = "nothing but a name says so"
  private static let nameFragment = "embed"
  /// Fewer numbers are mostly something else.
  private static let minLength = 16

  /// The only output besides states, when it is a vector and called an embedding.
  static func index(in material: DraftSources, _ states: StatePairs) -> Int? {
    let outputs = material.signature.outputs
    let others = outputs.indices.filter { !states.outputs.contains($0) }
    guard let index = others.first, others.count == 1, isVector(outputs[index]) else { return nil }
    let names = [outputs[index].name, material.metadata(forOutput: index)?.name ?? "", material.fileStem]
    return names.contains { $0.lowercased().contains(nameFragment) } ? index : nil
  }

  /// Whether all lengths but one are 1.
  private static func isVector(_ tensor: TensorInfo) -> Bool {
    let lengths = tensor.shape.dimensions.dropFirst().map { $0 ?? 1 }
    return lengths.count { $0 > 1 } == 1 && (lengths.max() ?? 0) >= minLength
  }
}
