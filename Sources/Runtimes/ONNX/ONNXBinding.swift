import TensorIOBundle
import TensorIOCore

/// The layers of a description, matched by name to the inputs and outputs of a loaded model.
struct ONNXBinding: Sendable {
  let inputs: [ONNXLayer]
  let outputs: [ONNXLayer]
  /// What is not supported of each output that is left out.
  let omittedOutputs: [String]
  /// How the model is run step by step; `nil` if it has no caches.
  let steps: ONNXSteps?

  /// Binds the layers of a description.
  ///
  /// - Throws: `ModelError` with a diagnostic for a name that the model does not have, or for an
  ///   input without a layer.
  init(_ use: ModelBinding, _ model: ONNXTensors) throws(ModelError) {
    inputs = try Self.bind(use.inputs, to: model.inputs, "inputs", model)
    outputs = try Self.bind(use.outputs, to: model.outputs, "outputs", model)
    omittedOutputs = []
    steps = use.caches.isEmpty ? nil : try ONNXSteps(use, inputs, outputs, model)
    let missing = model.inputs.map(\.name).filter { name in
      !use.inputs.contains { $0.name == name } && !use.caches.contains { $0.matches(input: name) }
    }
    guard missing.isEmpty else {
      let names = missing.map { "'\($0)'" }.joined(separator: ", ")
      let diagnostic = Diagnostic(
        .error, .tensorCount, path: "/inputs", expected: "\(model.inputs.count)",
        found: "\(use.inputs.count)", message: "the model's inputs \(names) have no layer",
        suggestion: "list all inputs; layers have the names of the model's tensors")
      throw ModelError(.bundle, .invalidDescription([diagnostic]))
    }
  }

  /// Binds all inputs and outputs; outputs of types that TensorIO does not support are left out.
  ///
  /// - Throws: `ModelError` if an input, or every output, has such a type.
  init(all model: ONNXTensors) throws(ModelError) {
    var inputs: [ONNXLayer] = []
    for tensor in model.inputs { inputs.append(try ONNXLayer(tensor, nil, model)) }
    var (outputs, errors): ([ONNXLayer], [ModelError]) = ([], [])
    for tensor in model.outputs {
      do throws(ModelError) {
        outputs.append(try ONNXLayer(tensor, nil, model))
      } catch {
        errors.append(error)
      }
    }
    if outputs.isEmpty, let error = errors.first { throw error }
    (self.inputs, self.outputs) = (inputs, outputs)
    omittedOutputs = errors.map(\.message)
    steps = nil
  }

  private static func bind(
    _ layers: [Layer], to tensors: [ONNXTensorType], _ side: String, _ model: ONNXTensors
  ) throws(ModelError) -> [ONNXLayer] {
    var bound: [ONNXLayer] = []
    for (index, layer) in layers.enumerated() {
      guard let tensor = tensors.first(where: { $0.name == layer.name }) else {
        let names = tensors.map(\.name)
        let closest = Spelling.closestMatch(to: layer.name, among: names)
        let diagnostic = Diagnostic(
          .error, .unknownTensor, path: "/\(side)/\(index)/name",
          expected: "the name of one of the model's \(side)", found: layer.name,
          message: "the model has no tensor '\(layer.name)' among its \(side)",
          suggestion: closest.map { "did you mean '\($0)'?" }
            ?? "\(side): \(names.joined(separator: ", "))")
        throw ModelError(.bundle, .invalidDescription([diagnostic]))
      }
      bound.append(try ONNXLayer(tensor, layer, model))
    }
    return bound
  }

  /// The tensors, in the order of the layers.
  var signature: ModelSignature {
    ModelSignature(
      name: "main", inputs: inputs.map(\.tensorInfo), outputs: outputs.map(\.tensorInfo))
  }
}

/// The inputs and outputs of a loaded model, with their declarations in the file.
struct ONNXTensors: Sendable {
  let inputs: [ONNXTensorType]
  let outputs: [ONNXTensorType]
  let file: ONNXFileSummary
}

/// A layer and the input or output that it refers to.
///
/// This is a class so that copying it in a run costs one reference count.
final class ONNXLayer: Sendable {
  let name: String
  let tensorInfo: TensorInfo
  /// The shape for one item.
  let shape: [Int]
  /// The number of scores of a row, if the output consists of maps in the file; else `nil`.
  let classCount: Int?
  /// Whether each run returns a tensor of the declared shape that a kernel writes.
  let hasFixedMemory: Bool

  /// Binds a layer, or the tensor without a layer.
  ///
  /// - Throws: `ModelError` if values of the tensor's type are not supported.
  init(_ tensor: ONNXTensorType, _ layer: Layer?, _ model: ONNXTensors) throws(ModelError) {
    name = tensor.name
    let elementType: ElementType
    var declared: TensorShape
    classCount = model.file.zipMaps[tensor.name]?.count
    switch tensor.kind {
    case .tensor(let type, let shape):
      (elementType, declared) = (type, classCount.map { TensorShape([nil, $0]) } ?? shape)
    case .unsupportedTensor(let code):
      let type = ONNXElementType(rawValue: code).map { "\($0)" } ?? "\(code)"
      throw Self.unsupported("the element type of '\(tensor.name)' (ONNX's type \(type))")
    case .other(let kind):
      let name =
        [2: "sequence", 3: "map", 5: "sparse tensor", 6: "optional value"][kind] ?? "value \(kind)"
      throw Self.unsupported("the \(name) '\(tensor.name)'")
    }
    let isUnranked =
      declared.dimensions.isEmpty && model.file.unshapedOutputs.contains(tensor.name)
    if let layer, isUnranked { declared = layer.shape }
    tensorInfo = TensorInfo(name: tensor.name, elementType: elementType, shape: declared)
    shape = layer?.itemShape(fitting: declared) ?? declared.singleItemDimensions
    hasFixedMemory =
      !isUnranked && !declared.isDynamic && elementType != .string
      && model.file.kernelOutputs.contains(tensor.name)
      && !model.inputs.contains { $0.name == tensor.name }
  }

  private static func unsupported(_ feature: String) -> ModelError {
    ModelError(.runtime, .unsupported(feature))
  }

  /// Returns the shape of an output, in which scores of classes have rows.
  ///
  /// - Throws: `ModelError` if a row does not have a score for each class, which the replaced ZipMap operator would
  ///   reject.
  func scoreShape(_ shape: [Int]) throws(ModelError) -> [Int] {
    guard let classCount else { return shape }
    guard shape.last == classCount, shape.count <= 2 else {
      throw ModelError(.output, .wrongShape(expected: "[-1,\(classCount)]", actual: "\(shape)"))
    }
    return shape.count == 2 ? shape : [1, classCount]
  }
}
