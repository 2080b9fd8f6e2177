/// Looks at one tensor of a graph.
struct TensorValidator {
  /// The bytes that a tensor without values in the file may take.
  static let maxByteCount = 1 << 30
  /// The axes that the runtime has room for.
  static let maxRank = 8

  private let tensor: ParsedTensor
  private let index: Int
  private let subgraph: SubgraphValidator
  private var model: ParsedModel { subgraph.model }

  init(_ tensor: ParsedTensor, _ index: Int, in graph: SubgraphValidator) {
    self.tensor = tensor
    self.index = index
    self.subgraph = graph
  }

  func validate() throws(ModelValidationError) {
    try requireValidShape()
    try requireValidBuffer()
    try requireValidSize()
    try tensor.quantization.map { code throws(ModelValidationError) in try requireValidQuantization(code) }
  }

  private func requireValidShape() throws(ModelValidationError) {
    try require(
      tensor.shape.count <= Self.maxRank, .shape,
      "tensor \(index) has \(tensor.shape.count) axes")
    try require(
      tensor.shape.allSatisfy { $0 >= 0 }, .shape, "tensor \(index) has the shape \(tensor.shape)")
    guard !tensor.shapeSignature.isEmpty else { return }
    let agrees =
      tensor.shapeSignature.count == tensor.shape.count
      && zip(tensor.shapeSignature, tensor.shape).allSatisfy { $0 == -1 || $0 == $1 }
    try require(
      agrees, .shape,
      "tensor \(index) has the shape \(tensor.shape) and the signature \(tensor.shapeSignature)")
  }

  private func requireValidBuffer() throws(ModelValidationError) {
    try require(!tensor.hasExternalBuffer, .externalBuffer, "tensor \(index) has its values in another file")
    let count = model.buffers.count
    try require(
      tensor.bufferIndex == 0 || tensor.bufferIndex < count, .dataBounds,
      "tensor \(index) is in buffer \(tensor.bufferIndex) of \(count)")
  }

  private func requireValidSize() throws(ModelValidationError) {
    let count = tensor.shape.elementCount ?? .max
    let expected = tensor.type.minByteCount(count)
    let found = model.constantByteCount(of: tensor)
    guard found > 0, tensor.isDense else {
      return try require(
        expected <= Self.maxByteCount, .tensorSize,
        "tensor \(index) with the shape \(tensor.shape) is too large")
    }
    guard tensor.type != .string else {
      let texts = model.stringCount(of: tensor)
      return try require(
        texts == count, .strings, "tensor \(index) has \(texts) texts instead of \(count)")
    }
    try require(
      found == UInt64(expected), .constantSize,
      "tensor \(index) with the shape \(tensor.shape) has \(found) bytes of values"
        + " instead of \(expected)")
  }
}

extension ParsedTensor {
  /// Sparse tensors have fewer values than elements, and what is smaller than a byte is packed in
  /// more than one way.
  fileprivate var isDense: Bool {
    switch type {
    case .plain, .string: !isSparse
    case .packed, .opaque: false
    }
  }
}

// MARK: - Quantization

extension TensorValidator {
  private func requireValidQuantization(_ code: ParsedQuantization) throws(ModelValidationError) {
    for scale in code.parameterTensors {
      try require(
        subgraph.containsTensor(scale), .quantization,
        "tensor \(index) is quantized by tensor \(scale) of \(subgraph.graph.tensors.count)")
    }
    guard !code.scales.isEmpty else { return }
    // Some files say with a scale of zero that there is none.
    try require(
      code.scales.allSatisfy { $0 == 0 || ($0 > 0 && $0.isNormal) }, .quantization,
      "tensor \(index) has an impossible scale")
    try require(
      code.zeroPoints.count == code.scales.count, .quantization,
      "tensor \(index) has \(code.scales.count) scales and \(code.zeroPoints.count) zero points")
    if case .quantized(let range) = tensor.valueKind {
      try require(
        code.zeroPoints.allSatisfy(range.contains), .quantization,
        "tensor \(index) has a zero point outside \(range)")
    }
    try requireValidQuantizationAxis(code)
  }

  private func requireValidQuantizationAxis(_ code: ParsedQuantization) throws(ModelValidationError) {
    guard !tensor.shape.isEmpty else {
      return try require(
        code.axis >= 0 && code.scales.count == 1, .quantization,
        "tensor \(index) is quantized along an axis that it has not")
    }
    try require(
      tensor.shape.indices.contains(code.axis), .quantization,
      "tensor \(index) is quantized along axis \(code.axis) of \(tensor.shape.count)")
    try require(
      code.scales.count == 1 || code.scales.count == tensor.shape[code.axis], .quantization,
      "tensor \(index) with the shape \(tensor.shape) has \(code.scales.count) scales")
  }
}

// MARK: - Counting

extension [Int] {
  /// The number of elements of a shape; `nil` when there is no room for it in a number.
  var elementCount: Int? {
    guard !contains(0) else { return 0 }
    var product = 1
    for length in self {
      let (next, overflow) = product.multipliedReportingOverflow(by: length)
      guard !overflow else { return nil }
      product = next
    }
    return product
  }
}
