internal import TensorIOCore

extension ModelSignature {
  /// What a run is given: the inputs, and the placeholders after them.
  var fed: [TensorInfo] { inputs + placeholders }

  func requireInput(_ input: Int) throws(ModelError) {
    guard (0..<inputs.count + placeholders.count).contains(input) else {
      throw ModelError(
        .input, .inputCount(expected: inputs.count + placeholders.count, actual: input + 1))
    }
  }

  /// Where the inputs and placeholders lie when they have these shapes.
  func plan(_ shapes: [[Int]]) throws(ModelError) -> ArenaPlan {
    let byteCounts = zip(fed, shapes).map { $0.byteCount(shape: $1) }
    guard shapes.count == fed.count, let plan = ArenaPlan(byteCounts.map { $0 ?? -1 }) else {
      throw ModelError(.input, .unsupported("inputs of more than \(ArenaPlan.limit) bytes"))
    }
    return plan
  }

  /// How much the outputs need as far as their shapes are known; a worker asks for what is missing.
  var expectedOutputByteCount: Int {
    let byteCounts = outputs.map { $0.byteCount(shape: $0.shape.oneItem) ?? 0 }
    return ArenaPlan(byteCounts)?.byteCount ?? 0
  }
}

extension TensorInfo {
  /// How many bytes the tensor has in a shape; `nil` where the number does not fit.
  fileprivate func byteCount(shape: [Int]) -> Int? {
    guard let count = shape.checkedProduct else { return nil }
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: elementType.byteCount ?? 0)
    return overflow ? nil : byteCount
  }
}
