/// Validates one tensor of a subgraph.
struct TensorValidator {
  /// The maximum size of a tensor whose data is not in the file.
  static let maxByteCount = 1 << 30
  /// The maximum number of dimensions that LiteRT supports.
  static let maxRank = 8

  private let tensor: ParsedTensor
  private let index: Int
  private let subgraph: SubgraphValidator
  private var model: ParsedModel { subgraph.model }

  init(_ tensor: ParsedTensor, _ index: Int, in subgraph: SubgraphValidator) {
    self.tensor = tensor
    self.index = index
    self.subgraph = subgraph
  }

  func validate() throws(ModelValidationError) {
    try requireValidShape()
    try requireValidBuffer()
    try requireValidSize()
    try tensor.quantization.map { quantization throws(ModelValidationError) in
      try requireValidQuantization(quantization)
    }
  }

  private func requireValidShape() throws(ModelValidationError) {
    try require(
      tensor.shape.count <= Self.maxRank, .shape,
      "tensor \(index) has \(tensor.shape.count) dimensions; the limit is \(Self.maxRank)")
    try require(
      tensor.shape.allSatisfy { $0 >= 0 }, .shape,
      "tensor \(index) has a negative dimension in its shape \(tensor.shape)")
    guard !tensor.shapeSignature.isEmpty else { return }
    let isConsistent =
      tensor.shapeSignature.count == tensor.shape.count
      && zip(tensor.shapeSignature, tensor.shape).allSatisfy { $0 == -1 || $0 == $1 }
    try require(
      isConsistent, .shape,
      "tensor \(index) has shape \(tensor.shape) but shape signature \(tensor.shapeSignature)")
  }

  private func requireValidBuffer() throws(ModelValidationError) {
    try require(
      !tensor.hasExternalBuffer, .externalBuffer, "tensor \(index) has its data in an external file"
    )
    let count = model.buffers.count
    try require(
      tensor.bufferIndex == 0 || tensor.bufferIndex < count, .dataBounds,
      "tensor \(index) refers to buffer \(tensor.bufferIndex), but there are \(count)")
  }

  private func requireValidSize() throws(ModelValidationError) {
    let count = tensor.shape.elementCount ?? .max
    let expected = tensor.type.minByteCount(count)
    let found = model.constantByteCount(of: tensor)
    guard found > 0, tensor.isDense else {
      return try require(
        expected <= Self.maxByteCount, .tensorSize,
        "tensor \(index) with shape \(tensor.shape) exceeds the limit of \(Self.maxByteCount) bytes"
      )
    }
    guard tensor.type != .string else {
      let strings = model.stringCount(of: tensor)
      return try require(
        strings == count, .strings, "tensor \(index) has \(strings) strings, expected \(count)")
    }
    try require(
      found == UInt64(expected), .constantSize,
      "tensor \(index) with shape \(tensor.shape) has \(found) bytes of data, expected \(expected)")
  }
}

extension ParsedTensor {
  /// Whether the tensor's byte count follows from its shape.
  ///
  /// Sparse tensors store fewer values than elements, and types smaller than a byte are packed in
  /// several ways.
  fileprivate var isDense: Bool {
    switch type {
    case .plain, .string: !isSparse
    case .packed, .opaque: false
    }
  }
}

// MARK: - Quantization

extension TensorValidator {
  private func requireValidQuantization(
    _ quantization: ParsedQuantization
  ) throws(ModelValidationError) {
    for parameters in quantization.parameterTensors {
      try require(
        subgraph.containsTensor(parameters), .quantization,
        "tensor \(index) has its scales in tensor \(parameters), but there are"
          + " \(subgraph.graph.tensors.count)")
    }
    guard !quantization.scales.isEmpty else { return }
    // Some files use a scale of 0 for "not quantized".
    try require(
      quantization.scales.allSatisfy { $0 == 0 || ($0 > 0 && $0.isNormal) }, .quantization,
      "tensor \(index) has an invalid scale")
    try require(
      quantization.zeroPoints.count == quantization.scales.count, .quantization,
      "tensor \(index) has \(quantization.scales.count) scales but"
        + " \(quantization.zeroPoints.count) zero points")
    if case .quantized(let range) = tensor.valueKind {
      try require(
        quantization.zeroPoints.allSatisfy(range.contains), .quantization,
        "tensor \(index) has a zero point outside \(range)")
    }
    try requireValidQuantizationAxis(quantization)
  }

  private func requireValidQuantizationAxis(
    _ quantization: ParsedQuantization
  ) throws(ModelValidationError) {
    guard !tensor.shape.isEmpty else {
      return try require(
        quantization.axis >= 0 && quantization.scales.count == 1, .quantization,
        "tensor \(index) is a scalar but is quantized along a dimension")
    }
    try require(
      tensor.shape.indices.contains(quantization.axis), .quantization,
      "tensor \(index) is quantized along dimension \(quantization.axis), but has"
        + " \(tensor.shape.count)")
    try require(
      quantization.scales.count == 1
        || quantization.scales.count == tensor.shape[quantization.axis], .quantization,
      "tensor \(index) with shape \(tensor.shape) has \(quantization.scales.count) scales")
  }
}

// MARK: - Element counts

extension [Int] {
  /// The number of elements of a shape, or `nil` if it overflows.
  var elementCount: Int? {
    guard !contains(0) else { return 0 }
    var product = 1
    for dimension in self {
      let (next, overflow) = product.multipliedReportingOverflow(by: dimension)
      guard !overflow else { return nil }
      product = next
    }
    return product
  }
}
