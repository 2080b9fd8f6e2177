import TensorIOBundle

/// Validates an ONNX file before it is passed to the runtime.
struct ONNXValidator {
  /// The constants by name, of the main graph and of the graphs around the current one.
  private var scopes: [[String: ONNXTensor]] = []
  /// The data that is in other files.
  private var externalData: [ONNXTensor] = []

  /// Validates a file and returns its constants whose data is in other files.
  ///
  /// - Throws: `ONNXValidationError` with the violated rule.
  static func validate(_ file: ONNXFile) throws(ONNXValidationError) -> [ONNXTensor] {
    try require(!file.graph.outputs.isEmpty, .format, "the file contains no graph with outputs")
    var validator = ONNXValidator()
    try validator.validate(file.graph)
    for function in file.functions { try validator.validate(function.nodes) }
    try FunctionCalls(file).validate()
    return validator.externalData
  }

  private mutating func validate(_ graph: ONNXGraph) throws(ONNXValidationError) {
    let isMain = scopes.isEmpty
    try require(
      graph.sparseInitializerCount == 0, .sparseConstants, "sparse constants are not supported")
    for tensor in graph.initializers {
      try validate(tensor, mayBeExternal: isMain)
    }
    let named = graph.initializers.map { ($0.name, $0) } + graph.nodes.compactMap(\.constant)
    scopes.append(Dictionary(named) { first, _ in first })
    defer { scopes.removeLast() }
    try validate(graph.nodes)
  }

  private mutating func validate(_ nodes: [ONNXNode]) throws(ONNXValidationError) {
    for node in nodes {
      for attribute in node.attributes {
        for tensor in attribute.tensors + [attribute.tensor].compactMap(\.self) {
          try validate(tensor, mayBeExternal: false)
        }
        for graph in attribute.graphs { try validate(graph) }
      }
      try validate(node)
    }
  }

  private mutating func validate(
    _ tensor: ONNXTensor, mayBeExternal: Bool
  ) throws(ONNXValidationError) {
    let name = tensor.name
    let shape = TensorShape(signedDimensions: tensor.dimensions)
    guard let type = ONNXElementType(rawValue: tensor.elementType) else {
      throw ONNXValidationError(
        .constantSize, "the constant '\(name)' has the unknown type \(tensor.elementType)")
    }
    guard let byteCount = tensor.byteCount else {
      throw ONNXValidationError(
        .constantSize, "the constant '\(name)' has the invalid shape \(shape)")
    }
    if let external = tensor.external {
      try require(
        mayBeExternal && type != .string, .externalData,
        "'\(name)' cannot have its data in another file ('\(external.location)')")
      try require(
        external.length ?? byteCount == byteCount, .externalData,
        "'\(name)' of shape \(shape) has \(byteCount) bytes, not \(external.length ?? 0)")
      externalData.append(tensor)
    } else if let count = tensor.rawByteCount {
      try require(
        type != .string && count == byteCount, .constantSize,
        "the constant '\(name)' of shape \(shape) has \(count) bytes instead of \(byteCount)")
    }
  }

  private func constant(_ name: String?) -> ONNXTensor? {
    guard let name else { return nil }
    for scope in scopes.reversed() {
      if let tensor = scope[name] { return tensor }
    }
    return nil
  }
}

extension ONNXTensor {
  /// The number of bytes of the elements, 0 for strings; `nil` if it overflows.
  var byteCount: Int? {
    guard let count = elementCount, let type = ONNXElementType(rawValue: elementType) else {
      return nil
    }
    let (bits, overflow) = count.multipliedReportingOverflow(by: type.bitCount ?? 0)
    return overflow || bits > .max - 7 ? nil : (bits + 7) / 8
  }
}

extension ONNXNode {
  /// The name and value of the constant that the node returns, or `nil` if it is another node.
  fileprivate var constant: (String, ONNXTensor)? {
    guard operatorType == "Constant", let name = outputs.first,
      let tensor = attribute("value")?.tensor
    else { return nil }
    return (name, tensor)
  }
}

extension ONNXValidator {
  private func validate(_ node: ONNXNode) throws(ONNXValidationError) {
    switch node.operatorType {
    case "LSTM": try validateRecurrence(node, gates: 4, isTransposed: false)
    case "GRU": try validateRecurrence(node, gates: 3, isTransposed: false)
    case "RNN": try validateRecurrence(node, gates: 1, isTransposed: false)
    case "DynamicQuantizeLSTM": try validateRecurrence(node, gates: 4, isTransposed: true)
    case "Resize", "Upsample": try validateScales(node)
    default: try validateDivisors(node)
    }
  }

  /// The attributes that are used as divisors.
  private static let divisors = ["strides", "dilations", "kernel_shape", "group", "blocksize"]

  private func validateDivisors(_ node: ONNXNode) throws(ONNXValidationError) {
    for name in Self.divisors {
      guard let attribute = node.attribute(name) else { continue }
      let numbers = attribute.integers + [attribute.integer].compactMap(\.self)
      try require(
        numbers.allSatisfy { $0 > 0 }, .options,
        "\(node.displayName) has \(name) \(numbers), which are not positive")
    }
  }

  private func validateScales(_ node: ONNXNode) throws(ONNXValidationError) {
    // Before version 11 of the operator, the scales were the second input instead of the third.
    let index = node.operatorType == "Resize" && node.inputs.count > 2 ? 2 : 1
    let maxScaleCount = 16
    let attribute = node.attribute("scales")?.floats ?? []
    var scales = attribute
    if let tensor = constant(node.input(index)), let count = tensor.elementCount {
      try require(
        count <= maxScaleCount, .scales, "\(node.displayName) has \(count) scales")
      scales += tensor.floats
    }
    try require(
      scales.allSatisfy { $0.isFinite && $0 > 0 }, .scales,
      "\(node.displayName) has the scales \(scales)")
  }

  /// Checks the shapes of constant weights, whose memory the runtime rearranges before it compares
  /// them with `hidden_size`.
  private func validateRecurrence(
    _ node: ONNXNode, gates: Int, isTransposed: Bool
  ) throws(ONNXValidationError) {
    let maxSize = 1 << 24
    guard let size = node.attribute("hidden_size")?.integer, (1...maxSize).contains(size) else {
      throw ONNXValidationError(
        .recurrentWeights, "\(node.displayName) has no valid hidden_size")
    }
    let directions = node.attribute("direction")?.text == "bidirectional" ? 2 : 1
    let weights: [Int?] =
      isTransposed ? [directions, nil, gates * size] : [directions, gates * size, nil]
    let recurrences: [Int?] =
      isTransposed ? [directions, size, gates * size] : [directions, gates * size, size]
    let state: [Int?] = [directions, nil, size]
    let expected: [(index: Int, shape: [Int?])] = [
      (1, weights), (2, recurrences), (3, [directions, 2 * gates * size]), (4, [nil]), (5, state),
      (6, state), (7, [directions, 3 * size]),
    ]
    for (index, shape) in expected {
      guard let tensor = constant(node.input(index)) else { continue }
      let fits =
        tensor.dimensions.count == shape.count
        && zip(tensor.dimensions, shape).allSatisfy { $0 > 0 && $0 == $1 ?? $0 }
      try require(
        fits, .recurrentWeights,
        "\(node.displayName): '\(tensor.name)' has the shape "
          + "\(TensorShape(signedDimensions: tensor.dimensions)) instead of \(TensorShape(shape)), "
          + "which hidden_size \(size) requires")
    }
  }
}
