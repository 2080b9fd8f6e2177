import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOLiteRT

/// The inputs of a drafted description.
struct InputDraft: Sendable {
  private(set) var layers: [Layer] = []
  private(set) var draftedValues: [DraftedValue] = []
  /// The first input that takes a picture.
  private(set) var firstImageIndex: Int?

  private let sources: DraftSources
  private let states: StatePairs
  private var names = UniqueLayerNames()

  init(_ material: DraftSources, _ states: StatePairs) {
    self.sources = material
    self.states = states
    for (index, tensor) in material.signature.inputs.enumerated() {
      let said = material.metadata(forInput: index)
      let path = "/inputs/\(index)"
      if let shape = ImageTensorShape(tensor, said?.content) {
        if firstImageIndex == nil { firstImageIndex = index }
        add(imageLayer(shape, tensor, said, path), said, "image", tensor, path)
      } else {
        let isState = states.inputs.contains(index)
        add(.array(numericLayer(tensor, isState: isState, path)), said, nil, tensor, path)
      }
    }
  }

  private mutating func add(
    _ kind: Layer.Kind, _ said: TFLiteMetadata.TensorMetadata?, _ usual: String?, _ tensor: TensorInfo,
    _ path: String
  ) {
    let short = UniqueLayerNames.shortName(of: tensor.name, default: "input")
    let isSaid = said.map { !$0.name.isEmpty } ?? false
    let required = sources.requiredName(of: tensor)
    let name = required ?? names.reserve(isSaid ? said?.name ?? short : usual ?? short)
    let source: DraftedValue.Source =
      isSaid ? .metadata : usual == nil || required != nil ? .tensors : .heuristic
    draftedValues.append(DraftedValue(path: path + "/name", value: name, source: source))
    layers.append(Layer(name: name, kind: kind))
  }

  // MARK: Pictures

  private mutating func imageLayer(
    _ picture: ImageTensorShape, _ tensor: TensorInfo, _ said: TFLiteMetadata.TensorMetadata?, _ path: String
  ) -> Layer.Kind {
    addShape(picture, said, path)
    let (normalize, finding) = NormalizationDraft(picture, tensor, said, path).result
    draftedValues.append(finding)
    return .image(
      ImageLayer(
        shape: picture.shape, height: picture.height, width: picture.width,
        format: picture.format, layout: picture.layout, normalize: normalize))
  }

  private mutating func addShape(
    _ picture: ImageTensorShape, _ said: TFLiteMetadata.TensorMetadata?, _ path: String
  ) {
    let isSaid = if case .image = said?.content { true } else { false }
    var type = DraftedValue(
      path: path + "/type", value: "image", source: isSaid ? .metadata : .tensors)
    if !isSaid, picture.format == .gray {
      type.reviewNote = "one channel can be a picture, but also sound or a table"
    }
    draftedValues.append(type)
    var shape = DraftedValue(
      path: path + "/shape", value: picture.shape.description, source: .tensors)
    if picture.usesDefaultSize { shape.reviewNote = "the model takes pictures of any size" }
    draftedValues.append(shape)
    addPixelFormat(picture, said, path)
  }

  private mutating func addPixelFormat(
    _ picture: ImageTensorShape, _ said: TFLiteMetadata.TensorMetadata?, _ path: String
  ) {
    let isSaid = if case .image(.some) = said?.content { true } else { false }
    var format = DraftedValue(
      path: path + "/format", value: picture.format == .gray ? "GRAY" : "RGB",
      source: isSaid ? .metadata : picture.format == .gray ? .tensors : .heuristic)
    if format.source == .heuristic { format.reviewNote = "some models take BGR" }
    draftedValues.append(format)
  }

  // MARK: Numbers

  private mutating func numericLayer(
    _ tensor: TensorInfo, isState: Bool, _ path: String
  ) -> NumericLayer {
    let shape = tensor.shape.withFixedNonBatchAxes
    var finding = DraftedValue(
      path: path + "/shape", value: "\(tensor.elementType) \(shape)", source: .tensors)
    if tensor.shape.dimensions.dropFirst().contains(nil) {
      finding.reviewNote = "the model takes other lengths, too"
    }
    draftedValues.append(finding)
    let isCoded = tensor.quantization != nil && tensor.elementType.isInteger
    if isCoded {
      let value = isState ? "none: a state goes in as it came out" : "model"
      draftedValues.append(
        DraftedValue(path: path + "/quantize", value: value, source: isState ? .heuristic : .tensors))
    }
    return NumericLayer(
      shape: shape, elementType: tensor.elementType.declarable,
      quantize: isCoded && !isState ? .model : nil)
  }
}

extension ElementType {
  /// The type as a description writes it; texts have no word there, and the tensor decides.
  var declarable: ElementType? { self == .string ? nil : self }
}

extension TensorShape {
  /// The shape with lengths of one where they vary, but for the first axis: a description can leave
  /// only that open.
  var withFixedNonBatchAxes: TensorShape {
    guard !dimensions.isEmpty else { return [1] }
    return TensorShape(dimensions.prefix(1) + dimensions.dropFirst().map { $0 ?? 1 })
  }
}

/// Names by which an application can speak of a model's layers: short, and each its own.
struct UniqueLayerNames: Sendable {
  private var reserved: Set<String> = []

  init() {}

  /// The wanted name, or one like it that is free.
  mutating func reserve(_ wanted: String) -> String {
    var name = wanted
    var number = 2
    while !reserved.insert(name).inserted {
      name = "\(wanted)_\(number)"
      number += 1
    }
    return name
  }

  /// What is left of a tensor's name without what converters add to it.
  static func shortName(of tensor: String, default: String) -> String {
    var name = tensor.split(separator: "/").last.map(String.init) ?? ""
    if name.hasPrefix(servingPrefix) { name.removeFirst(servingPrefix.count) }
    if let colon = name.lastIndex(of: ":"), name[name.index(after: colon)...].allSatisfy(\.isNumber)
    {
      name = String(name[..<colon])
    }
    let saysNothing = generatedPrefixes.contains { name.hasPrefix($0) } || name.isEmpty
    return saysNothing ? `default` : name
  }

  private static let servingPrefix = "serving_default_"
  private static let generatedPrefixes = ["StatefulPartitionedCall", "PartitionedCall", "Identity"]
}
