/// Looks at one tensor of a graph.
struct TensorCheck {
  /// The bytes that a tensor without values in the file may take.
  static let mostBytes = 1 << 30
  /// The axes that the runtime has room for.
  static let mostAxes = 8

  private let tensor: TensorOutline
  private let index: Int
  private let graph: GraphCheck
  private var model: ModelOutline { graph.model }

  init(_ tensor: TensorOutline, _ index: Int, in graph: GraphCheck) {
    self.tensor = tensor
    self.index = index
    self.graph = graph
  }

  func check() throws(ModelProblem) {
    try requireShape()
    try requireBuffer()
    try requireSize()
    try tensor.quantization.map { code throws(ModelProblem) in try requireSense(code) }
  }

  private func requireShape() throws(ModelProblem) {
    try require(
      tensor.shape.count <= Self.mostAxes, .shape,
      "tensor \(index) has \(tensor.shape.count) axes")
    try require(
      tensor.shape.allSatisfy { $0 >= 0 }, .shape, "tensor \(index) has the shape \(tensor.shape)")
    guard !tensor.signature.isEmpty else { return }
    let agrees =
      tensor.signature.count == tensor.shape.count
      && zip(tensor.signature, tensor.shape).allSatisfy { $0 == -1 || $0 == $1 }
    try require(
      agrees, .shape,
      "tensor \(index) has the shape \(tensor.shape) and the signature \(tensor.signature)")
  }

  private func requireBuffer() throws(ModelProblem) {
    try require(!tensor.isElsewhere, .elsewhere, "tensor \(index) has its values in another file")
    let count = model.buffers.count
    try require(
      tensor.buffer == 0 || tensor.buffer < count, .data,
      "tensor \(index) is in buffer \(tensor.buffer) of \(count)")
  }

  private func requireSize() throws(ModelProblem) {
    let count = tensor.shape.elementCount ?? .max
    let expected = tensor.type.leastBytes(count)
    let found = model.valueBytes(of: tensor)
    guard found > 0, tensor.hasOneValueForEach else {
      return try require(
        expected <= Self.mostBytes, .size,
        "tensor \(index) with the shape \(tensor.shape) is too large")
    }
    guard tensor.type != .text else {
      let texts = model.textCount(of: tensor)
      return try require(
        texts == count, .texts, "tensor \(index) has \(texts) texts instead of \(count)")
    }
    try require(
      found == UInt64(expected), .constant,
      "tensor \(index) with the shape \(tensor.shape) has \(found) bytes of values"
        + " instead of \(expected)")
  }
}

extension TensorOutline {
  /// Sparse tensors have fewer values than elements, and what is smaller than a byte is packed in
  /// more than one way.
  fileprivate var hasOneValueForEach: Bool {
    switch type {
    case .plain, .text: !isSparse
    case .packed, .opaque: false
    }
  }
}

// MARK: - Quantization

extension TensorCheck {
  private func requireSense(_ code: QuantizationOutline) throws(ModelProblem) {
    for scale in code.tensors {
      try require(
        graph.has(scale), .quantization,
        "tensor \(index) is quantized by tensor \(scale) of \(graph.graph.tensors.count)")
    }
    guard !code.scales.isEmpty else { return }
    // Some files say with a scale of zero that there is none.
    try require(
      code.scales.allSatisfy { $0 == 0 || ($0 > 0 && $0.isNormal) }, .quantization,
      "tensor \(index) has an impossible scale")
    try require(
      code.zeroPoints.count == code.scales.count, .quantization,
      "tensor \(index) has \(code.scales.count) scales and \(code.zeroPoints.count) zero points")
    if case .quantized(let range) = tensor.values {
      try require(
        code.zeroPoints.allSatisfy(range.contains), .quantization,
        "tensor \(index) has a zero point outside \(range)")
    }
    try requireAxis(code)
  }

  private func requireAxis(_ code: QuantizationOutline) throws(ModelProblem) {
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
