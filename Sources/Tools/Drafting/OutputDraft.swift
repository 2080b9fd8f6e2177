import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// The outputs of a drafted description.
struct OutputDraft: Sendable {
  private(set) var layers: [Layer] = []
  private(set) var draftedValues: [DraftedValue] = []
  /// The labels that match the labeled output.
  private(set) var labels: LabelList?
  /// The file with the calibration of the scores, if the model has one that can be used.
  private(set) var calibration: [UInt8]?
  /// Whether the outputs form a detector's detections.
  var isDetection: Bool { roles.isDetection }
  /// Whether the embedding is the result of the model: a classifier can return one beside the scores of its labels.
  var isEmbedding: Bool { embedding != nil && labeledOutput == nil }

  private let sources: DraftSources
  private let states: StatePairs
  private let roles: DetectorRoles
  private let hasImageInput: Bool
  private let labeledOutput: LabeledOutput?
  private let embedding: EmbeddingOutput?
  private var names = UniqueLayerNames()

  init(
    _ sources: DraftSources, _ states: StatePairs, _ roles: DetectorRoles, hasImageInput: Bool
  ) {
    self.sources = sources
    self.states = states
    self.hasImageInput = hasImageInput
    self.roles = roles
    labeledOutput = LabeledOutput(sources, roles, states)
    // The folder of a model states more than a name.
    embedding =
      roles.isDetection || (sources.hub != nil && sources.embeddingLayer == nil)
      ? nil : EmbeddingOutput(in: sources, states, labeled: labeledOutput?.index)
    labels = labeledOutput?.list
    for index in sources.signature.outputs.indices { add(index) }
    addUnusedLabels()
  }

  private mutating func add(_ index: Int) {
    let tensor = sources.signature.outputs[index]
    let role = roles.role(of: index) ?? (embedding?.index == index ? .embedding : nil)
    let isLabeled = labeledOutput?.index == index
    let image = hasImageInput && role == nil && !isLabeled ? self.imageLayer(index) : nil
    let kind = image.map { Layer.Kind.image($0) } ?? .array(numericLayer(index, tensor))
    let name =
      sources.requiredName(of: tensor)
      ?? names.reserve(self.name(index, tensor, role, isLabeled, image != nil))
    let layerRole = role ?? (isLabeled ? labeledOutput?.role : nil)
    addDraftedName(index, name, role)
    layers.append(Layer(name: name, kind: kind, role: layerRole))
  }

  private func name(
    _ index: Int, _ tensor: TensorInfo, _ role: OutputRole?, _ isLabeled: Bool, _ isImage: Bool
  ) -> String {
    if let role { return role.name }
    if let name = sources.metadata(forOutput: index)?.name, !name.isEmpty { return name }
    if let key = tensor.signatureKey { return key }
    if isLabeled { return labeledOutput?.role?.name ?? "classification" }
    return isImage ? "image" : UniqueLayerNames.shortName(of: tensor.name, default: "output")
  }

  private mutating func addDraftedName(_ index: Int, _ name: String, _ role: OutputRole?) {
    let path = "/outputs/\(index)"
    if let role {
      let embedding = role == .embedding ? embedding : nil
      draftedValues.append(
        DraftedValue(
          path: path + "/role", value: role.name, source: embedding?.source ?? roles.source,
          reviewNote: embedding.map(\.reviewNote) ?? roles.reviewNote))
      return
    }
    let isFromMetadata = sources.metadata(forOutput: index).map { $0.name == name } ?? false
    let source: DraftedValue.Source = isFromMetadata ? .metadata : .tensors
    draftedValues.append(DraftedValue(path: path + "/name", value: name, source: source))
  }

  // MARK: Images

  private mutating func imageLayer(_ index: Int) -> ImageLayer? {
    let tensor = sources.signature.outputs[index]
    guard let shape = ImageTensorShape(tensor, sources.metadata(forOutput: index)?.content),
      shape.format == .rgb, !states.outputs.contains(index)
    else { return nil }
    let isFloat = tensor.elementType.isFloatingPoint
    draftedValues.append(
      DraftedValue(
        path: "/outputs/\(index)/denormalize",
        value: isFloat ? StandardRange.zeroToOne.rawValue : "none: bytes are pixel values",
        source: isFloat ? .heuristic : .tensors,
        reviewNote: isFloat ? "not stated by the model; it may return [-1,1] or 0 to 255" : nil))
    return ImageLayer(
      shape: shape.shape, height: shape.height, width: shape.width, format: shape.format,
      layout: shape.layout, denormalize: isFloat ? .denormalizing(from: .zeroToOne) : nil)
  }

  // MARK: Numbers

  private mutating func numericLayer(_ index: Int, _ tensor: TensorInfo) -> NumericLayer {
    let isLabeled = labeledOutput?.index == index
    let hasFixedLength = isLabeled || states.outputs.contains(index)
    let shape = hasFixedLength ? tensor.shape.withFixedNonBatchAxes : tensor.shape.withoutRankZero
    draftedValues.append(
      DraftedValue(
        path: "/outputs/\(index)/shape", value: "\(tensor.elementType) \(shape)",
        source: .tensors))
    var layer = NumericLayer(
      shape: shape, elementType: tensor.elementType.declarable,
      dequantize: dequantization(index, tensor))
    if let labeledOutput, isLabeled {
      layer.labelsFile = BundleDraft.labelsFileName
      layer.labelOffset = labeledOutput.labelOffset
      draftedValues.append(labeledOutput.draftedValue)
    }
    layer.calibration = calibration(index)
    return layer
  }

  private mutating func dequantization(_ index: Int, _ tensor: TensorInfo) -> Quantization? {
    guard tensor.quantization != nil, tensor.elementType.isInteger else { return nil }
    let path = "/outputs/\(index)/dequantize"
    guard !states.outputs.contains(index) else {
      let value = "none: state is passed back unchanged"
      draftedValues.append(DraftedValue(path: path, value: value, source: .heuristic))
      return nil
    }
    draftedValues.append(DraftedValue(path: path, value: "model", source: .tensors))
    return .model
  }

  // MARK: Labels

  /// Returns the calibration of an output that the metadata declares, if the output has scores and
  /// the file has a line for each label.
  private mutating func calibration(_ index: Int) -> CalibrationDescription? {
    guard var calibration = sources.metadata(forOutput: index)?.calibration else { return nil }
    let isLabeled = labeledOutput?.index == index && labeledOutput?.role == nil
    let isOfDetections = roles.isDetection && roles.role(of: index) == .scores
    let count = labeledOutput?.list.labels.count
    let file = sources.embeddedFiles[calibration.file]
    let isUsable =
      (isLabeled || isOfDetections) && count == sources.labels?.labels.count
      && file.map { ScoreCalibration.accepts($0, labelCount: count) } == true
    draftedValues.append(
      DraftedValue(
        path: "/outputs/\(index)/calibration", value: calibration.file, source: .metadata,
        reviewNote: isUsable
          ? nil : "the file does not fit the labels; scores are the model's own, uncalibrated"))
    guard isUsable else { return nil }
    self.calibration = file
    calibration.file = BundleDraft.calibrationFileName
    return calibration
  }

  private mutating func addUnusedLabels() {
    guard let list = sources.labels, labeledOutput == nil else { return }
    draftedValues.append(
      DraftedValue(
        path: "/outputs", value: "\(list.labels.count) labels in assets", source: list.source,
        reviewNote: "no output has this many elements; add \"labels\" to the right one"
      ))
  }
}

/// The output of a model that is an embedding.
private struct EmbeddingOutput: Sendable {
  let index: Int
  let source: DraftedValue.Source
  let reviewNote: String?

  private static let nameFragment = "embed"
  /// The parts of the names of outputs with a number for each class.
  private static let scoreFragments = ["logit", "score", "prob", "softmax", "class", "predict"]

  /// Finds the only vector with the name of an embedding, or the only one beside the scores of classes; `nil` if there is
  /// none.
  ///
  /// - Parameters:
  ///   - sources: The model.
  ///   - states: The outputs that are states.
  ///   - labeled: The output whose elements have labels; `nil` if there is none.
  init?(in sources: DraftSources, _ states: StatePairs, labeled: Int?) {
    let outputs = sources.signature.outputs
    guard sources.embeddingLayer == nil else {
      (index, source, reviewNote) = (0, .arguments, nil)
      return
    }
    source = .heuristic
    let others = outputs.indices.filter { !states.outputs.contains($0) }
    let vectors = others.filter { $0 != labeled && Self.isVector(outputs[$0]) }
    let names = { (index: Int) in
      [
        outputs[index].name, outputs[index].signatureKey ?? "",
        sources.metadata(forOutput: index)?.name ?? "",
      ].map { $0.lowercased() }
    }
    let named = vectors.filter { index in
      (names(index) + (others.count == 1 ? [sources.fileStem.lowercased()] : []))
        .contains { $0.contains(Self.nameFragment) }
    }
    if named.count == 1 {
      (index, reviewNote) = (named[0], "inferred from its name")
      return
    }
    let scores = others.filter { index in
      index == labeled
        || names(index).contains { name in Self.scoreFragments.contains(where: name.contains) }
    }
    let beside = vectors.filter { !scores.contains($0) }
    guard named.isEmpty, beside.count == 1, let first = scores.first,
      // Two outputs of the same length are the same scores in two forms.
      scores.allSatisfy({ Self.length(outputs[$0]) != Self.length(outputs[beside[0]]) })
    else { return nil }
    index = beside[0]
    reviewNote =
      "the only vector beside the scores '\(outputs[first].signatureKey ?? outputs[first].name)'"
  }

  /// Whether all dimensions but one are 1, and that one is long enough.
  private static func isVector(_ tensor: TensorInfo) -> Bool {
    let lengths = tensor.shape.dimensions.dropFirst().map { $0 ?? 1 }
    return lengths.count { $0 > 1 } == 1 && length(tensor) >= EmbeddingLayer.minLength
  }

  private static func length(_ tensor: TensorInfo) -> Int {
    tensor.shape.dimensions.dropFirst().compactMap(\.self).max() ?? 0
  }
}
