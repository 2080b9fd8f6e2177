package import TensorIOBundle
import TensorIOImage

/// An input or output as the elements of one tensor: what a client sends to the network itself, or
/// receives from it.
package struct TensorDeclaration: Sendable, Hashable {
  /// What a client can send or receives.
  package enum Content: Sendable, Hashable {
    /// Numbers of the element type.
    case numbers(ElementType)
    /// Strings, one per element of the tensor.
    case strings
    /// A text, which a tokenizer converts to numbers.
    case text
    /// The memory of a `string` layer, as elements of a type.
    case memory(ElementType)
  }

  /// The name of the layer.
  package let name: String
  /// The kind of elements.
  package let content: Content
  /// The dimensions of one item, without the batch axis; `nil` for a length that varies.
  package let itemShape: [Int?]
  /// Whether the first axis of the tensor counts items.
  package let hasBatchAxis: Bool
  /// Whether the layer takes an encoded image or sound instead of numbers.
  package let takesFiles: Bool
  /// Whether the layer takes values with any number of dimensions.
  package let takesFlatValues: Bool
  /// The declaration in `model.json`.
  package let layer: Layer
}

extension Model {
  /// The tensors of the inputs that a caller provides, in the order of ``callerInputs``.
  ///
  /// A layer that quantizes takes `float32` numbers; any other takes the elements of its tensor.
  package var inputTensors: [TensorDeclaration] {
    let model = calledModel
    let (encoders, signature) = (model.pipeline?.encoder.layers ?? [], model.signature)
    return model.inputs.enumerated().compactMap { index, layer in
      guard callerInputs.contains(where: { $0.name == layer.name }) else { return nil }
      let tensor = signature.flatMap { index < $0.inputs.count ? $0.inputs[index] : nil }
      let encoder = index < encoders.count ? encoders[index] : nil
      return TensorDeclaration(input: layer, tensor, encoder)
    }
  }

  /// The tensors of all outputs of a run, in order.
  ///
  /// Numbers are dequantized as the bundle declares it. An image consists of its pixels.
  package var outputTensors: [TensorDeclaration] {
    let outputs = runOutputs
    let signature = outputs == self.outputs ? signature : nil
    return outputs.enumerated().map { index, layer in
      let tensor = signature.flatMap { index < $0.outputs.count ? $0.outputs[index] : nil }
      let labels = (try? bundle.labels(for: layer)) ?? []
      return TensorDeclaration(output: layer, tensor, hasLabels: !labels.isEmpty)
    }
  }
}

extension ModelBundle {
  /// The tensors of the inputs as far as the description determines them.
  package var describedInputTensors: [TensorDeclaration] {
    resolvedDescription.callerInputs.map { TensorDeclaration(input: $0, nil, nil) }
  }

  /// The tensors of the outputs as far as the description determines them.
  package var describedOutputTensors: [TensorDeclaration] {
    resolvedDescription.runOutputs.map { layer in
      let labels = (try? labels(for: layer)) ?? []
      return TensorDeclaration(output: layer, nil, hasLabels: !labels.isEmpty)
    }
  }

  private var resolvedDescription: ModelDescription {
    description.resolved(for: description.defaultMode)
  }
}

extension TensorDeclaration {
  fileprivate init(input layer: Layer, _ tensor: TensorInfo?, _ encoder: LayerEncoder?) {
    self.layer = layer
    name = layer.name
    let shape = Self.dimensions(of: layer, tensor)
    takesFiles = layer.isImage || layer.isAudio
    takesFlatValues = encoder?.variableShape == nil
    switch layer.kind {
    case .text:
      (content, hasBatchAxis, itemShape) = (.text, true, [])
      return
    case .string(let string): content = .memory(string.elementType)
    case _ where tensor?.elementType == .string || layer.elementType == .string:
      content = .strings
    default: content = .numbers(Self.rawType(of: layer, tensor, encoder))
    }
    (hasBatchAxis, itemShape) = Self.batchAxis(of: shape)
  }

  fileprivate init(output layer: Layer, _ tensor: TensorInfo?, hasLabels: Bool) {
    self.layer = layer
    name = layer.name
    (takesFiles, takesFlatValues) = (false, true)
    switch layer.kind {
    case .image(let image):
      content = .numbers(.uint8)
      (hasBatchAxis, itemShape) = (
        true, [image.height, image.width, image.format.bytesPerPixel]
      )
      return
    case .string(let string): content = .memory(string.elementType)
    case _ where tensor?.elementType == .string || layer.elementType == .string:
      content = .strings
    default:
      let type = tensor?.elementType ?? layer.elementType ?? .float32
      let isConverted =
        tensor.map { !layer.quantizationTransform(for: .output, tensor: $0).isIdentity } ?? false
      content = .numbers(hasLabels || isConverted ? .float32 : type)
    }
    (hasBatchAxis, itemShape) = Self.batchAxis(of: Self.dimensions(of: layer, tensor))
  }

  /// Returns the type of the numbers that an input takes.
  private static func rawType(
    of layer: Layer, _ tensor: TensorInfo?, _ encoder: LayerEncoder?
  ) -> ElementType {
    let numbers: NumberEncoder? =
      switch encoder?.kind {
      case .numbers(let numbers), .tokens(_, let numbers): numbers
      case .image(let image): image.numbers
      case .bytes, .strings, .audio, nil: nil
      }
    guard let numbers else { return tensor?.elementType ?? layer.elementType ?? .float32 }
    return numbers.quantization.isIdentity ? numbers.elementType : .float32
  }

  /// Returns the dimensions of a layer's tensor; `nil` for those that the caller determines.
  private static func dimensions(of layer: Layer, _ tensor: TensorInfo?) -> [Int?] {
    let declared = layer.shape.dimensions
    guard let tensor else { return declared }
    let actual = tensor.shape.dimensions
    let omitted = actual.count - declared.count
    return actual.enumerated().map { axis, length in
      if let length { return length }
      let index = axis - omitted
      // A batch that the description omits is as free as one that it declares.
      return declared.indices.contains(index) ? declared[index] : nil
    }
  }

  /// Splits dimensions into the batch axis, which has the length 1 or any, and the rest.
  private static func batchAxis(of shape: [Int?]) -> (hasBatchAxis: Bool, itemShape: [Int?]) {
    guard let first = shape.first, first == nil || first == 1 else { return (false, shape) }
    return (true, Array(shape.dropFirst()))
  }
}

extension Tensor {
  /// A copy of the elements' memory; empty for strings.
  package var memoryBytes: [UInt8] {
    let bytes = try? withBytes { (memory) throws(ModelError) in
      memory.array(of: UInt8.self, count: memory.byteCount)
    }
    return bytes ?? []
  }
}

extension Tensor {
  /// Returns the same elements with other dimensions, without copying them.
  ///
  /// - Throws: A ``ModelError`` if the product of the dimensions is not the number of elements.
  package func reshaped(_ shape: [Int]) throws(ModelError) -> Tensor {
    guard shape.checkedProduct == count else {
      throw ModelError(.input, .wrongShape(expected: "\(count) elements", actual: "\(shape)"))
    }
    return Tensor(storage, shape: shape)
  }
}
