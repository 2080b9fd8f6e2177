import TensorIOBundle
import TensorIOImage

/// Compares a description with the tensors of a model.
///
/// Differences that TensorIO for iOS accepts are warnings; differences that prevent a run are
/// errors.
struct SignatureValidator {
  let description: ModelDescription
  let signature: ModelSignature

  /// All differences.
  var diagnostics: [Diagnostic] {
    countDiagnostics + orderDiagnostics + stateDiagnostics + embeddingDiagnostics
      + zip(description.inputs, signature.inputs).enumerated().flatMap { index, pair in
        LayerValidator(pair.0, pair.1, .input(index), description.isQuantized).diagnostics
      }
      + zip(description.outputs, signature.outputs).enumerated().flatMap { index, pair in
        LayerValidator(pair.0, pair.1, .output(index), description.isQuantized).diagnostics
      }
      + zip(description.placeholders, signature.placeholders).enumerated().flatMap { index, pair in
        LayerValidator(pair.0, pair.1, .placeholder(index), description.isQuantized).diagnostics
      }
  }

  private var countDiagnostics: [Diagnostic] {
    let inputs = countDiagnostic("inputs", description.inputs.count, signature.inputs.count, .error)
    let outputs = countDiagnostic(
      "outputs", description.outputs.count, signature.outputs.count,
      description.outputs.count < signature.outputs.count ? .warning : .error)
    return [inputs, outputs, placeholderDiagnostic].compactMap(\.self)
  }

  /// The diagnostic for placeholders; a runtime without placeholders ignores them, which is a
  /// warning.
  private var placeholderDiagnostic: Diagnostic? {
    let declared = description.placeholders.count
    guard declared > 0, signature.placeholders.isEmpty else {
      return countDiagnostic("placeholders", declared, signature.placeholders.count, .error)
    }
    return Diagnostic(
      .warning, .noPlaceholders, path: "/placeholders", expected: "no placeholders",
      found: "\(declared)", message: "the model takes no placeholders in this runtime",
      suggestion: "list the model's inputs under \"inputs\"")
  }

  /// Errors for state of a length that is not fixed: a run begins with as many zeros.
  private var stateDiagnostics: [Diagnostic] {
    description.inputs.enumerated().compactMap { index, layer in
      guard layer.shape.dimensions.count(where: { $0 == nil }) > 1,
        description.state.contains(where: { $0.input == layer.name })
      else { return nil }
      return Diagnostic(
        .error, .tensorShape, path: "/inputs/\(index)/shape",
        expected: "a shape with one free dimension at most",
        found: layer.shape.description,
        message: "layer '\(layer.name)': the length of a state is fixed",
        suggestion: "a cache that grows with each run is not a state")
    }
  }

  /// Errors for embeddings that are not one vector, such as the vectors of all tokens of a text.
  private var embeddingDiagnostics: [Diagnostic] {
    guard TokenPooling.setting.value(in: description.task) == .none else { return [] }
    let texts = description.inputs.filter(\.isText)
    return description.outputs.enumerated().compactMap { index, layer in
      guard layer.role == .embedding else { return nil }
      let lengths = layer.shape.dimensions
      // A fixed number of tokens has a vector each, too.
      let hasTokens = lengths.count > 2 && texts.contains { $0.shape.dimensions.last == lengths[1] }
      guard layer.shape.hasVariableLength || hasTokens else { return nil }
      return Diagnostic(
        .error, .tensorShape, path: "/outputs/\(index)/shape",
        expected: hasTokens && !texts.isEmpty
          ? "one vector for each text" : "a shape with one free dimension at most, the first",
        found: layer.shape.description,
        message:
          "layer '\(layer.name)': an embedding has a fixed length, but this output has a vector for each token",
        suggestion: texts.isEmpty
          ? "export the model with a layer that returns one vector for each item"
          : "add \"pooling\": \"mean\" to the task, or the pooling that the model was trained with")
    }
  }

  /// Returns a diagnostic if counts differ.
  ///
  /// Every input needs a value, but an output may be ignored.
  private func countDiagnostic(
    _ key: String, _ declared: Int, _ actual: Int, _ severity: Diagnostic.Severity
  ) -> Diagnostic? {
    guard declared != actual else { return nil }
    return Diagnostic(
      severity, .tensorCount, path: "/\(key)", expected: "\(actual)",
      found: "\(declared)",
      message: "the model has \(actual) \(key), the description lists \(declared)",
      suggestion: "list them in the order of the model's tensors")
  }
}

/// Compares one layer with its tensor.
struct LayerValidator {
  /// The kind and index of a layer.
  enum Location {
    case input(Int)
    case output(Int)
    case placeholder(Int)

    var path: String {
      switch self {
      case .input(let index): "/inputs/\(index)"
      case .output(let index): "/outputs/\(index)"
      case .placeholder(let index): "/placeholders/\(index)"
      }
    }

    var isOutput: Bool { if case .output = self { true } else { false } }
  }

  let layer: Layer
  let tensor: TensorInfo
  let location: Location
  let isQuantized: Bool

  init(_ layer: Layer, _ tensor: TensorInfo, _ location: Location, _ isQuantized: Bool) {
    self.layer = layer
    self.tensor = tensor
    self.location = location
    self.isQuantized = isQuantized
  }

  /// All differences between the layer and the tensor.
  var diagnostics: [Diagnostic] {
    [
      shapeDiagnostic, elementTypeDiagnostic, quantizedFlagDiagnostic, quantizationDiagnostic,
    ]
    .compactMap(\.self)
  }
}

extension LayerValidator {
  private var shapeDiagnostic: Diagnostic? {
    guard layer.itemShape(fitting: tensor.shape) == nil else { return nil }
    guard !omitsTrailingLabels else {
      return diagnostic(
        .warning, .outputTruncated, "shape",
        expected: tensor.shape.description, found: layer.shape.description,
        "the model outputs more values than the layer declares; the last ones are ignored")
    }
    return diagnostic(
      .error, .tensorShape, "shape", expected: tensor.shape.description,
      found: layer.shape.description,
      "the model's tensor and the layer have different shapes", suggestion: layoutSuggestion)
  }

  /// A suggestion for an image whose channels have the other layout.
  private var layoutSuggestion: String? {
    guard case .image(let image) = layer.kind else { return nil }
    let isFirst = image.layout == .channelsFirst
    let channels = image.format.bytesPerPixel
    let sides = [image.height, image.width]
    let other = TensorShape(isFirst ? sides + [channels] : [channels] + sides)
    let actual = Array(tensor.shape.singleItemDimensions.suffix(3))
    guard actual == other.singleItemDimensions else { return nil }
    return isFirst
      ? "remove the layout and write the shape as \(other)"
      : "write \"layout\": \"NCHW\" and the shape as \(other)"
  }

  /// Whether trailing values have no label: legacy bundles declare 1000 labels for 1001 values.
  private var omitsTrailingLabels: Bool {
    guard location.isOutput, case .array(let numeric) = layer.kind, numeric.labelsFile != nil,
      let declared = layer.elementCount, let actual = tensor.shape.singleItemDimensions.max()
    else { return false }
    return declared < actual && tensor.shape.elementCount == actual
  }

  private var elementTypeDiagnostic: Diagnostic? {
    if case .image = layer.kind { return imageTypeDiagnostic }
    guard let declared = layer.elementType, declared != tensor.elementType, !passesStringsThrough
    else { return nil }
    return diagnostic(
      .error, .tensorType, "dtype", expected: tensor.elementType.rawValue,
      found: declared.rawValue, "the model's tensor has elements of type \(tensor.elementType)")
  }

  /// Whether strings are copied into a tensor of strings, for which the layer's type does not
  /// matter.
  private var passesStringsThrough: Bool {
    if case .string = layer.kind { tensor.elementType == .string } else { false }
  }

  /// The tensor determines how pixels are stored, if it can store pixels.
  private var imageTypeDiagnostic: Diagnostic? {
    let types = ElementType.imageTypes
    guard !types.contains(tensor.elementType) else { return nil }
    return diagnostic(
      .error, .tensorType, "type", expected: types.map(\.rawValue).joined(separator: ", "),
      found: tensor.elementType.rawValue,
      "a tensor of type \(tensor.elementType) cannot store an image")
  }

  private var quantizedFlagDiagnostic: Diagnostic? {
    let isByte = tensor.elementType == .uint8 || tensor.elementType == .int8
    guard isQuantized != isByte, layer.elementType == nil else { return nil }
    guard isByte || tensor.elementType == .float32 else { return nil }
    return Diagnostic(
      .warning, .quantizedFlagMismatch, path: location.path, expected: tensor.elementType.rawValue,
      found: "model.quantized is \(isQuantized)",
      message: "model.quantized is \(isQuantized), but this tensor is \(tensor.elementType)",
      suggestion: "give the layer \"dtype\": \"\(tensor.elementType)\"")
  }

  private var quantizationDiagnostic: Diagnostic? {
    guard let (key, code) = layer.declaredQuantization else { return nil }
    guard tensor.elementType.isInteger else {
      return diagnostic(
        .warning, .ineffectiveQuantization, key, found: tensor.elementType.rawValue,
        "\(key) has no effect on a tensor of type \(tensor.elementType)")
    }
    switch code {
    case .standard where tensor.elementType != .uint8:
      return diagnostic(
        .error, .standardRangeWithInt8, key, expected: "uint8",
        found: tensor.elementType.rawValue,
        "a standard range maps to the bytes 0 to 255, but the tensor is \(tensor.elementType)",
        suggestion: "\"\(key)\": {\"standard\": \"model\"} uses the tensor's own scale")
    case .model where tensor.quantization == nil:
      return diagnostic(
        .error, .missingTensorQuantization, key,
        "the model stores no scale and zero point for this tensor",
        suggestion: "specify a scale and a bias")
    case .standard, .affine, .model: return quantizationDifferenceDiagnostic(key, code)
    }
  }

  /// Returns a warning if a declared quantization differs from the tensor's own.
  private func quantizationDifferenceDiagnostic(
    _ key: String, _ code: Quantization
  ) -> Diagnostic? {
    guard let own = tensor.quantization,
      let steps = QuantizationDistance(tensor.elementType, own).steps(to: code, key: key),
      steps > code.stepTolerance
    else { return nil }
    return diagnostic(
      .warning, .quantizationMismatch, key,
      expected: "the tensor's own scale \(own.scale) and zero point \(own.zeroPoint)",
      found: "up to \(steps) steps away", "\(key) differs from the quantization in the model",
      suggestion: "\"\(key)\": {\"standard\": \"model\"} uses the tensor's own scale")
  }

  private func diagnostic(
    _ severity: Diagnostic.Severity, _ code: DiagnosticCode, _ key: String, expected: String? = nil,
    found: String? = nil, _ message: String, suggestion: String? = nil
  ) -> Diagnostic {
    Diagnostic(
      severity, code, path: "\(location.path)/\(key)", expected: expected, found: found,
      message: "layer '\(layer.name)': \(message)", suggestion: suggestion)
  }
}

extension Layer {
  /// The quantization that the layer declares, with its key.
  fileprivate var declaredQuantization: (key: String, code: Quantization)? {
    switch kind {
    case .array(let numeric), .scalar(let numeric):
      numeric.quantize.map { ("quantize", $0) } ?? numeric.dequantize.map { ("dequantize", $0) }
    case .image, .string, .text, .audio: nil
    }
  }
}

extension ElementType {
  /// The element types that can store images.
  fileprivate static let imageTypes: [ElementType] = [.float32, .float16, .uint8, .int8]
}

extension SignatureValidator {
  /// Warnings for layers that have the name of another tensor than the one at their position.
  ///
  /// Layers are bound by position and can have any name, but the model's own names in another order
  /// are probably a mistake.
  var orderDiagnostics: [Diagnostic] {
    orderDiagnostics("inputs", description.inputs, signature.inputs)
      + orderDiagnostics("outputs", description.outputs, signature.outputs)
  }

  private func orderDiagnostics(
    _ key: String, _ layers: [Layer], _ tensors: [TensorInfo]
  ) -> [Diagnostic] {
    let names = tensors.map(\.name)
    return zip(layers, names).enumerated().compactMap { index, pair in
      let (layer, name) = pair
      guard layer.name != name, names.contains(layer.name) else { return nil }
      return Diagnostic(
        .warning, .layerOrder, path: "/\(key)/\(index)/name", expected: name, found: layer.name,
        message: "the layer '\(layer.name)' is at the position of the model's '\(name)'",
        suggestion: "list layers in the order of the model's tensors; their names do not matter")
    }
  }
}
