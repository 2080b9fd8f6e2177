internal import TensorIOImage

/// Compares what a description says with what the model has.
///
/// What the original library tolerated is a warning here; what cannot work is an error.
struct TensorMatch {
  let description: ModelDescription
  let signature: ModelSignature

  /// Everything in which the two differ.
  var problems: [Problem] {
    countProblems + orderProblems
      + zip(description.inputs, signature.inputs).enumerated().flatMap { index, pair in
        LayerMatch(pair.0, pair.1, .input(index), description.isQuantized).problems
      }
      + zip(description.outputs, signature.outputs).enumerated().flatMap { index, pair in
        LayerMatch(pair.0, pair.1, .output(index), description.isQuantized).problems
      }
      + zip(description.placeholders, signature.placeholders).enumerated().flatMap { index, pair in
        LayerMatch(pair.0, pair.1, .placeholder(index), description.isQuantized).problems
      }
  }

  private var countProblems: [Problem] {
    let inputs = countProblem("inputs", description.inputs.count, signature.inputs.count, .error)
    let outputs = countProblem(
      "outputs", description.outputs.count, signature.outputs.count,
      description.outputs.count < signature.outputs.count ? .warning : .error)
    return [inputs, outputs, placeholderProblem].compactMap(\.self)
  }

  /// A runtime that knows no placeholders runs the model without them.
  private var placeholderProblem: Problem? {
    let declared = description.placeholders.count
    guard declared > 0, signature.placeholders.isEmpty else {
      return countProblem("placeholders", declared, signature.placeholders.count, .error)
    }
    return Problem(
      .warning, .noPlaceholders, path: "/placeholders", expected: "no placeholders",
      found: "\(declared)", message: "the model takes no placeholders in this runtime",
      suggestion: "list what it takes under \"inputs\"")
  }

  /// Every input must be fed, but an output may be left unread.
  private func countProblem(
    _ key: String, _ declared: Int, _ actual: Int, _ severity: Problem.Severity
  ) -> Problem? {
    guard declared != actual else { return nil }
    return Problem(
      severity, .tensorCount, path: "/\(key)", expected: "\(actual)",
      found: "\(declared)",
      message: "the model has \(actual) \(key), the description lists \(declared)",
      suggestion: "list them in the order that `tensorio inspect` shows")
  }
}

/// Compares one layer with its tensor.
struct LayerMatch {
  /// Which layer it is.
  enum Place {
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
  let place: Place
  let isQuantized: Bool

  init(_ layer: Layer, _ tensor: TensorInfo, _ place: Place, _ isQuantized: Bool) {
    self.layer = layer
    self.tensor = tensor
    self.place = place
    self.isQuantized = isQuantized
  }

  /// Everything in which the layer and the tensor differ.
  var problems: [Problem] {
    [shapeProblem, typeProblem, flagProblem, codeProblem].compactMap(\.self)
  }
}

extension LayerMatch {
  private var shapeProblem: Problem? {
    guard layer.shape(fitting: tensor.shape) == nil else { return nil }
    guard !leavesOutLastLabels else {
      return problem(
        .warning, .labelsBeyond, "shape",
        expected: tensor.shape.description, found: layer.shape.description,
        "the model gives more values than the layer declares; the last ones are left out")
    }
    return problem(
      .error, .tensorShape, "shape", expected: tensor.shape.description,
      found: layer.shape.description,
      "the model's tensor has another shape than the layer", suggestion: layoutSuggestion)
  }

  /// What puts a picture right whose channels lie the other way round.
  private var layoutSuggestion: String? {
    guard case .image(let image) = layer.kind else { return nil }
    let isFirst = image.layout == .channelsFirst
    let channels = image.format.bytesPerPixel
    let sides = [image.height, image.width]
    let other = TensorShape(isFirst ? sides + [channels] : [channels] + sides)
    guard Array(tensor.shape.oneItem.suffix(3)) == other.oneItem else { return nil }
    return isFirst
      ? "leave out the layout, and write the shape as \(other)"
      : "write \"layout\": \"NCHW\" and the shape as \(other)"
  }

  /// The original shipped bundles that declare 1000 labels over 1001 values.
  private var leavesOutLastLabels: Bool {
    guard place.isOutput, case .array(let numeric) = layer.kind, numeric.labels != nil,
      let declared = layer.elementCount, let actual = tensor.shape.oneItem.max()
    else { return false }
    return declared < actual && tensor.shape.elementCount == actual
  }

  private var typeProblem: Problem? {
    if case .image = layer.kind { return pictureTypeProblem }
    guard let declared = layer.elementType, declared != tensor.elementType, !passesTexts else {
      return nil
    }
    return problem(
      .error, .tensorType, "dtype", expected: tensor.elementType.rawValue,
      found: declared.rawValue, "the model's tensor holds \(tensor.elementType)")
  }

  /// Texts go into a tensor of texts as they are, whatever a layer says that bytes would be.
  private var passesTexts: Bool {
    if case .string = layer.kind { tensor.elementType == .string } else { false }
  }

  /// A picture's tensor decides how its pixels are stored, if pixels can be stored in it at all.
  private var pictureTypeProblem: Problem? {
    let types = ElementType.ofPictures
    guard !types.contains(tensor.elementType) else { return nil }
    return problem(
      .error, .tensorType, "type", expected: types.map(\.rawValue).joined(separator: ", "),
      found: tensor.elementType.rawValue,
      "no picture is stored in a tensor of \(tensor.elementType)")
  }

  private var flagProblem: Problem? {
    let isByte = tensor.elementType == .uint8 || tensor.elementType == .int8
    guard isQuantized != isByte, layer.elementType == nil else { return nil }
    guard isByte || tensor.elementType == .float32 else { return nil }
    return Problem(
      .warning, .quantizedFlag, path: place.path, expected: tensor.elementType.rawValue,
      found: "model.quantized is \(isQuantized)",
      message: "model.quantized is \(isQuantized), but this tensor holds \(tensor.elementType)",
      suggestion: "give the layer \"dtype\": \"\(tensor.elementType)\"")
  }

  private var codeProblem: Problem? {
    guard let (key, code) = layer.declaredCode else { return nil }
    guard tensor.elementType.isInteger else {
      return problem(
        .warning, .ineffectiveQuantization, key, found: tensor.elementType.rawValue,
        "\(key) does nothing: the tensor holds \(tensor.elementType)")
    }
    switch code {
    case .standard where tensor.elementType != .uint8:
      return problem(
        .error, .standardOverSignedBytes, key, expected: "uint8",
        found: tensor.elementType.rawValue,
        "a standard range fills the bytes 0 to 255, but the tensor holds \(tensor.elementType)",
        suggestion: "\"\(key)\": {\"standard\": \"model\"} uses the tensor's own scale")
    case .model where tensor.quantization == nil:
      return problem(
        .error, .noModelQuantization, key,
        "the model stores no scale and zero point for this tensor",
        suggestion: "give a scale and a bias")
    case .standard, .affine, .model: return differenceProblem(key, code)
    }
  }

  /// A declared quantization that is not the tensor's own.
  private func differenceProblem(_ key: String, _ code: Quantization) -> Problem? {
    guard let own = tensor.quantization,
      let steps = QuantizationDistance(tensor.elementType, own).steps(to: code, key: key),
      steps > code.allowedSteps
    else { return nil }
    return problem(
      .warning, .quantizationDiffers, key,
      expected: "the tensor's own scale \(own.scale) and zero point \(own.zeroPoint)",
      found: "up to \(steps) steps away", "\(key) is not how the model stores the tensor",
      suggestion: "\"\(key)\": {\"standard\": \"model\"} uses the tensor's own scale")
  }

  private func problem(
    _ severity: Problem.Severity, _ code: ProblemCode, _ key: String, expected: String? = nil,
    found: String? = nil, _ message: String, suggestion: String? = nil
  ) -> Problem {
    Problem(
      severity, code, path: "\(place.path)/\(key)", expected: expected, found: found,
      message: "layer '\(layer.name)': \(message)", suggestion: suggestion)
  }
}

extension Layer {
  /// The quantization that the layer declares, and the key that declares it.
  fileprivate var declaredCode: (key: String, code: Quantization)? {
    switch kind {
    case .array(let numeric), .scalar(let numeric):
      numeric.quantize.map { ("quantize", $0) } ?? numeric.dequantize.map { ("dequantize", $0) }
    case .image, .string: nil
    }
  }
}

extension ElementType {
  /// The types of tensors that hold pictures.
  fileprivate static let ofPictures: [ElementType] = [.float32, .float16, .uint8, .int8]
}
