internal import CLiteRT
internal import TensorIOCore

extension LoadedGraph {
  /// A tensor's number in its graph.
  func number(of tensor: LiteRtTensor) throws(ModelError) -> UInt32 {
    try answer("LiteRtGetTensorIndex", 0) { number in
      unsafe functions.pointee.LiteRtGetTensorIndex(tensor, &number)
    }
  }

  /// What the file says of a tensor.
  func info(of tensor: LiteRtTensor) throws(ModelError) -> TensorInfo {
    let name = try unsafe text("LiteRtGetTensorName") { name in
      unsafe functions.pointee.LiteRtGetTensorName(tensor, &name)
    }
    let type = try unsafe rankedType(of: tensor, name)
    guard let elementType = ElementType(liteRT: type.element_type) else {
      let problem = "the elements of \(name) are of a type without support (\(type.element_type))"
      throw ModelError(.runtime, .unsupported(problem))
    }
    let shape = TensorShape(signed: type.layout.lengths)
    try elementType.requireModestSize(shape, of: name)
    return TensorInfo(
      name: name, elementType: elementType, shape: shape,
      quantization: try unsafe quantization(of: tensor, name))
  }

  private func rankedType(
    of tensor: LiteRtTensor, _ name: String
  ) throws(ModelError) -> LiteRtRankedTensorType {
    let kind = try answer("LiteRtGetTensorTypeId", 0) { kind in
      unsafe functions.pointee.LiteRtGetTensorTypeId(tensor, &kind)
    }
    guard kind == CLiteRTTensorRanked else {
      throw ModelError(.runtime, .unsupported("\(name) has no known number of axes"))
    }
    return try answer("LiteRtGetRankedTensorType", LiteRtRankedTensorType()) { type in
      unsafe functions.pointee.LiteRtGetRankedTensorType(tensor, &type)
    }
  }

  private func quantization(
    of tensor: LiteRtTensor, _ name: String
  ) throws(ModelError) -> TensorQuantization? {
    let kind = try answer("LiteRtGetQuantizationTypeId", 0) { kind in
      unsafe functions.pointee.LiteRtGetQuantizationTypeId(tensor, &kind)
    }
    guard kind == CLiteRTQuantizationPerTensor else { return nil }
    let code = try answer(
      "LiteRtGetPerTensorQuantization", LiteRtQuantizationPerTensor()
    ) { code in
      unsafe functions.pointee.LiteRtGetPerTensorQuantization(tensor, &code)
    }
    guard code.scale != 0 else { return nil }  // how a file says "none"
    guard code.scale.isFinite, let zeroPoint = Int(exactly: code.zero_point) else {
      let problem = "the quantization of \(name) is impossible (scale \(code.scale))"
      throw ModelError(.runtime, .modelRefused(problem: problem))
    }
    return TensorQuantization(scale: code.scale, zeroPoint: zeroPoint)
  }
}

// MARK: - Calls that answer through their last argument

extension LoadedGraph {
  var functions: UnsafePointer<CLiteRTTable> { unsafe environment.library.functions }

  func answer<Value>(
    _ function: String, _ value: consuming Value, _ call: (inout Value) -> LiteRtStatus
  ) throws(ModelError) -> Value {
    try require(call(&value), from: function)
    return value
  }

  func reference(
    _ function: String, _ call: (inout OpaquePointer?) -> LiteRtStatus
  ) throws(ModelError) -> OpaquePointer {
    var handle: OpaquePointer?
    let status = unsafe call(&handle)
    return try unsafe require(handle, status, from: function)
  }

  func text(
    _ function: String, _ call: (inout UnsafePointer<CChar>?) -> LiteRtStatus
  ) throws(ModelError) -> String {
    var text: UnsafePointer<CChar>?
    try unsafe require(call(&text), from: function)
    return unsafe text.map { unsafe String(cString: $0) } ?? ""
  }
}
