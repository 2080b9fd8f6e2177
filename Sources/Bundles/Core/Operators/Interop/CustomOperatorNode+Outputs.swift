public import TensorIOBundle

extension CustomOperatorNode {
  /// Runs an operator on tensors, as a runtime does for this node.
  ///
  /// With this, an operator is tested without a model:
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// func result<Operator: CustomOperator>(
  ///   of type: Operator.Type, in node: CustomOperatorNode, for input: Tensor
  /// ) throws -> Tensor {
  ///   var instance = try type.init(node)
  ///   return try node.outputs(of: &instance, for: [input])[0]
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - instance: The operator.
  ///   - inputs: The inputs, of any shapes.
  /// - Returns: The outputs, with the element types of the node.
  /// - Throws: A ``ModelError`` if the operator does not support the inputs, or fails.
  public func outputs<Operator: CustomOperator>(
    of instance: inout Operator, for inputs: [Tensor]
  ) throws(ModelError) -> [Tensor] {
    let shapes = try instance.outputShapes(forInputs: inputs.map(\.shape))
    guard shapes.count == outputs.count else {
      throw ModelError(
        .runtime,
        .failed(
          "it has \(shapes.count, as: "shapes_count") output shapes, but the node has \(outputs.count, as: "outputs_count") outputs"
        ))
    }
    var bytes: [[UInt8]] = []
    for input in inputs {
      bytes.append(
        try input.withBytes { (span) throws(ModelError) in
          unsafe span.withUnsafeBytes { unsafe Array($0) }
        })
    }
    for (info, shape) in zip(outputs, shapes) {
      guard let size = info.elementType.byteCount, shape.allSatisfy({ $0 >= 0 }),
        let count = (shape + [size]).checkedProduct
      else {
        throw ModelError(
          .runtime, .unsupported("an output of \(info.elementType) and the shape \(shape)"))
      }
      bytes.append(Array(repeating: 0, count: count))
    }
    let memory = unsafe bytes.map { bytes in
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 64)
      unsafe memory.copyBytes(from: bytes)
      return unsafe memory
    }
    defer { for index in unsafe memory.indices { unsafe memory[index].deallocate() } }
    let types = inputs.map(\.elementType) + outputs.map(\.elementType)
    let operands = (inputs.map(\.shape) + shapes).enumerated().map { index, shape in
      unsafe CustomOperatorCall.Operand(
        elementType: types[index], shape: shape, memory: memory[index])
    }
    let call = CustomOperatorCall(
      inputs: Array(operands.prefix(inputs.count)),
      outputs: Array(operands.dropFirst(inputs.count))
    ) { false }
    try instance.run(call)
    var results: [Tensor] = []
    for (index, info) in outputs.enumerated() {
      let contents = unsafe Array(memory[inputs.count + index])
      results.append(
        try Tensor(bytes: contents, elementType: info.elementType, shape: shapes[index]))
    }
    return results
  }
}
