internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOLiteRT

/// The outputs of a drafted description.
struct OutputDraft: Sendable {
  private(set) var layers: [Layer] = []
  private(set) var findings: [DraftFinding] = []
  /// The labels as the outputs want them.
  private(set) var labels: LabelList?
  /// Whether the outputs together are the detections of a detector.
  var isDetection: Bool { roles.isDetection }
  /// Whether the output is what makes things alike.
  var isEmbedding: Bool { embedding != nil }

  private let material: DraftMaterial
  private let states: StatePairs
  private let roles: DetectorRoles
  private let hasPicture: Bool
  private let labelled: LabelledOutput?
  private let embedding: Int?
  private var names = LayerNames()

  init(_ material: DraftMaterial, _ states: StatePairs, hasPicture: Bool) {
    self.material = material
    self.states = states
    self.hasPicture = hasPicture
    roles = DetectorRoles(material)
    labelled = LabelledOutput(material, roles, states)
    embedding = labelled == nil ? EmbeddingOutput.index(material, states) : nil
    labels = labelled?.list
    for index in material.signature.outputs.indices { add(index) }
    noteUnusedLabels()
  }

  private mutating func add(_ index: Int) {
    let tensor = material.signature.outputs[index]
    let role = roles.role(of: index) ?? (embedding == index ? .embedding : nil)
    let isLabelled = labelled?.index == index
    let picture = hasPicture && role == nil && !isLabelled ? self.picture(index) : nil
    let kind = picture.map { Layer.Kind.image($0) } ?? .array(numbers(index, tensor))
    let name =
      material.requiredName(of: tensor)
      ?? names.take(self.name(index, tensor, role, isLabelled, picture != nil))
    let ownRole = role ?? (isLabelled ? labelled?.role : nil)
    note(index, name, role)
    layers.append(Layer(name: name, kind: kind, role: ownRole))
  }

  private func name(
    _ index: Int, _ tensor: TensorInfo, _ role: OutputRole?, _ isLabelled: Bool, _ isPicture: Bool
  ) -> String {
    if let role { return role.rawValue }
    if let said = material.said(ofOutput: index)?.name, !said.isEmpty { return said }
    if isLabelled { return labelled?.role?.rawValue ?? "classification" }
    return isPicture ? "image" : LayerNames.short(tensor.name, otherwise: "output")
  }

  private mutating func note(_ index: Int, _ name: String, _ role: OutputRole?) {
    let path = "/outputs/\(index)"
    if let role {
      let isGuess = role == .embedding
      findings.append(
        DraftFinding(
          path: path + "/role", value: role.rawValue, source: isGuess ? .guess : roles.source,
          doubt: isGuess ? EmbeddingOutput.doubt : roles.doubt))
      return
    }
    let isSaid = material.said(ofOutput: index).map { $0.name == name } ?? false
    let source: DraftFinding.Source = isSaid ? .metadata : .tensors
    findings.append(DraftFinding(path: path + "/name", value: name, source: source))
  }

  // MARK: Pictures

  private mutating func picture(_ index: Int) -> ImageLayer? {
    let tensor = material.signature.outputs[index]
    guard let shape = PictureShape(tensor, material.said(ofOutput: index)?.content),
      shape.format == .rgb, !states.outputs.contains(index)
    else { return nil }
    let isFloat = tensor.elementType.isFloatingPoint
    findings.append(
      DraftFinding(
        path: "/outputs/\(index)/denormalize",
        value: isFloat ? StandardRange.zeroToOne.rawValue : "none: bytes are pixels",
        source: isFloat ? .guess : .tensors,
        doubt: isFloat ? "nothing in the model says so; it may give [-1,1] or 0 to 255" : nil))
    return ImageLayer(
      shape: shape.shape, height: shape.height, width: shape.width, format: shape.format,
      layout: shape.layout, denormalize: isFloat ? .from(.zeroToOne) : nil)
  }

  // MARK: Numbers

  private mutating func numbers(_ index: Int, _ tensor: TensorInfo) -> NumericLayer {
    let shape = tensor.shape.fixedBehindBatch
    findings.append(
      DraftFinding(
        path: "/outputs/\(index)/shape", value: "\(tensor.elementType) \(shape)",
        source: .tensors))
    var layer = NumericLayer(
      shape: shape, elementType: tensor.elementType.declared,
      dequantize: dequantization(index, tensor))
    guard let labelled, labelled.index == index else { return layer }
    layer.labels = BundleDraft.labelsName
    layer.labelOffset = labelled.offset
    findings.append(labelled.finding)
    return layer
  }

  private mutating func dequantization(_ index: Int, _ tensor: TensorInfo) -> Quantization? {
    guard let code = tensor.quantization, tensor.elementType.isInteger else { return nil }
    let path = "/outputs/\(index)/dequantize"
    guard !states.outputs.contains(index) else {
      let value = "none: a state goes in again as it came out"
      findings.append(DraftFinding(path: path, value: value, source: .guess))
      return nil
    }
    let isShare =
      tensor.elementType == .uint8 && code.zeroPoint == 0
      && [1 / 256, 1 / 255].contains { abs(code.scale - $0) < 1e-6 }
    findings.append(
      DraftFinding(
        path: path, value: isShare ? StandardRange.zeroToOne.rawValue : "model",
        source: .tensors))
    return isShare ? .standard(.zeroToOne) : .model
  }

  // MARK: Labels

  private mutating func noteUnusedLabels() {
    guard let list = material.labels, labelled == nil else { return }
    findings.append(
      DraftFinding(
        path: "/outputs", value: "\(list.labels.count) labels in assets", source: list.source,
        doubt: "no output has as many values: add \"labels\" to the one that they name"))
  }
}
