internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOLiteRT

/// The inputs of a drafted description.
struct InputDraft: Sendable {
  private(set) var layers: [Layer] = []
  private(set) var findings: [DraftFinding] = []
  /// The first input that takes a picture.
  private(set) var picture: Int?

  private let material: DraftMaterial
  private let states: StatePairs
  private var names = LayerNames()

  init(_ material: DraftMaterial, _ states: StatePairs) {
    self.material = material
    self.states = states
    for (index, tensor) in material.signature.inputs.enumerated() {
      let said = material.said(ofInput: index)
      let path = "/inputs/\(index)"
      if let shape = PictureShape(tensor, said?.content) {
        if picture == nil { picture = index }
        add(image(shape, tensor, said, path), said, "image", tensor, path)
      } else {
        let isState = states.inputs.contains(index)
        add(.array(numbers(tensor, isState: isState, path)), said, nil, tensor, path)
      }
    }
  }

  private mutating func add(
    _ kind: Layer.Kind, _ said: TFLiteMetadata.Tensor?, _ usual: String?, _ tensor: TensorInfo,
    _ path: String
  ) {
    let short = LayerNames.short(tensor.name, otherwise: "input")
    let isSaid = said.map { !$0.name.isEmpty } ?? false
    let required = material.requiredName(of: tensor)
    let name = required ?? names.take(isSaid ? said?.name ?? short : usual ?? short)
    let source: DraftFinding.Source =
      isSaid ? .metadata : usual == nil || required != nil ? .tensors : .guess
    findings.append(DraftFinding(path: path + "/name", value: name, source: source))
    layers.append(Layer(name: name, kind: kind))
  }

  // MARK: Pictures

  private mutating func image(
    _ picture: PictureShape, _ tensor: TensorInfo, _ said: TFLiteMetadata.Tensor?, _ path: String
  ) -> Layer.Kind {
    noteShape(picture, said, path)
    let (normalize, finding) = NormalizationDraft(picture, tensor, said, path).result
    findings.append(finding)
    return .image(
      ImageLayer(
        shape: picture.shape, height: picture.height, width: picture.width,
        format: picture.format, layout: picture.layout, normalize: normalize))
  }

  private mutating func noteShape(
    _ picture: PictureShape, _ said: TFLiteMetadata.Tensor?, _ path: String
  ) {
    let isSaid = if case .image = said?.content { true } else { false }
    var type = DraftFinding(
      path: path + "/type", value: "image", source: isSaid ? .metadata : .tensors)
    if !isSaid, picture.format == .gray {
      type.doubt = "one channel can be a picture, but also sound or a table"
    }
    findings.append(type)
    var shape = DraftFinding(
      path: path + "/shape", value: picture.shape.description, source: .tensors)
    if picture.isChosen { shape.doubt = "the model takes pictures of any size" }
    findings.append(shape)
    noteFormat(picture, said, path)
  }

  private mutating func noteFormat(
    _ picture: PictureShape, _ said: TFLiteMetadata.Tensor?, _ path: String
  ) {
    let isSaid = if case .image(.some) = said?.content { true } else { false }
    var format = DraftFinding(
      path: path + "/format", value: picture.format == .gray ? "GRAY" : "RGB",
      source: isSaid ? .metadata : picture.format == .gray ? .tensors : .guess)
    if format.source == .guess { format.doubt = "some models take BGR" }
    findings.append(format)
  }

  // MARK: Numbers

  private mutating func numbers(
    _ tensor: TensorInfo, isState: Bool, _ path: String
  ) -> NumericLayer {
    let shape = tensor.shape.fixedBehindBatch
    var finding = DraftFinding(
      path: path + "/shape", value: "\(tensor.elementType) \(shape)", source: .tensors)
    if tensor.shape.axes.dropFirst().contains(nil) {
      finding.doubt = "the model takes other lengths, too"
    }
    findings.append(finding)
    let isCoded = tensor.quantization != nil && tensor.elementType.isInteger
    if isCoded {
      let value = isState ? "none: a state goes in as it came out" : "model"
      findings.append(
        DraftFinding(path: path + "/quantize", value: value, source: isState ? .guess : .tensors))
    }
    return NumericLayer(
      shape: shape, elementType: tensor.elementType.declared,
      quantize: isCoded && !isState ? .model : nil)
  }
}

extension ElementType {
  /// The type as a description writes it; texts have no word there, and the tensor decides.
  var declared: ElementType? { self == .string ? nil : self }
}

extension TensorShape {
  /// The shape with lengths of one where they vary, but for the first axis: a description can leave
  /// only that open.
  var fixedBehindBatch: TensorShape {
    guard !axes.isEmpty else { return [1] }
    return TensorShape(axes.prefix(1) + axes.dropFirst().map { $0 ?? 1 })
  }
}
