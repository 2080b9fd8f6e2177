import CLiteRT
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A model as LiteRT loaded it, with the bytes it goes on reading from.
@safe final class LiteRTGraph: @unchecked Sendable {  // LiteRT only reads a loaded model
  let environment: LiteRTEnvironment
  let handle: LiteRtModel
  private let modelBytes: ModelBytes
  /// Where its arranged weights are kept; `nil` where they are not.
  let cachedWeights: CachedWeights?

  init(_ bytes: ModelBytes, in environment: LiteRTEnvironment) throws(ModelError) {
    guard let start = unsafe bytes.memory.baseAddress, unsafe !bytes.memory.isEmpty else {
      throw ModelError(.runtime, .modelRejected(detail: "the file is empty"))
    }
    try TFLiteValidator.validate(bytes)
    self.environment = environment
    self.modelBytes = bytes
    cachedWeights = environment.weightCache.flatMap { cache in
      guard bytes.count >= CachedWeights.minModelByteCount,
        let arrangement = environment.library.weightLayoutKey
      else { return nil }
      return CachedWeights(in: cache) {
        let digest = DigestCache(in: cache).digest(of: bytes.identity) { bytes.digest }
        return SHA256.digest(of: Array((digest + arrangement).utf8)).hexadecimal
      }
    }
    unsafe handle = try environment.withExclusiveAccess { () throws(ModelError) in
      var handle: LiteRtModel?
      let status = unsafe environment.library.functions.pointee.LiteRtCreateModelFromBuffer(
        environment.handle, start, bytes.memory.count, &handle)
      return try unsafe checkedHandle(handle, status, from: "LiteRtCreateModelFromBuffer")
    }
  }

  deinit {
    unsafe environment.library.functions.pointee.LiteRtDestroyModel(handle)
  }

  /// The kinds of operators in the file.
  var operatorUsage: OperatorUsage? { OperatorUsage(modelBytes) }

  /// A section of bytes that the file carries beside its graphs.
  func metadata(named name: String) -> [UInt8]? {
    var start: UnsafeRawPointer?
    var count = 0
    let status = unsafe environment.library.functions.pointee.LiteRtGetModelMetadata(
      handle, name, &start, &count)
    guard status == 0, let start = unsafe start else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}

extension LiteRTGraph {
  /// A tensor's number in its graph.
  func tensorIndex(of tensor: LiteRtTensor) throws(ModelError) -> UInt32 {
    try outputValue("LiteRtGetTensorIndex", 0) { number in
      unsafe functions.pointee.LiteRtGetTensorIndex(tensor, &number)
    }
  }

  /// What the file says of a tensor.
  func tensorInfo(of tensor: LiteRtTensor) throws(ModelError) -> TensorInfo {
    let name = try unsafe outputString("LiteRtGetTensorName") { name in
      unsafe functions.pointee.LiteRtGetTensorName(tensor, &name)
    }
    let type = try unsafe rankedType(of: tensor, name)
    guard let elementType = ElementType(liteRTCode: type.element_type) else {
      let problem = "the elements of \(name) are of a type without support (\(type.element_type))"
      throw ModelError(.runtime, .unsupported(problem))
    }
    let shape = TensorShape(signedDimensions: type.layout.axisLengths)
    try elementType.validatedByteCount(shape, named: name)
    return TensorInfo(
      name: name, elementType: elementType, shape: shape,
      quantization: try unsafe quantization(of: tensor, name))
  }

  private func rankedType(
    of tensor: LiteRtTensor, _ name: String
  ) throws(ModelError) -> LiteRtRankedTensorType {
    let kind = try outputValue("LiteRtGetTensorTypeId", 0) { kind in
      unsafe functions.pointee.LiteRtGetTensorTypeId(tensor, &kind)
    }
    guard kind == CLiteRTTensorRanked else {
      throw ModelError(.runtime, .unsupported("\(name) has no known number of axes"))
    }
    return try outputValue("LiteRtGetRankedTensorType", LiteRtRankedTensorType()) { type in
      unsafe functions.pointee.LiteRtGetRankedTensorType(tensor, &type)
    }
  }

  private func quantization(
    of tensor: LiteRtTensor, _ name: String
  ) throws(ModelError) -> TensorQuantization? {
    let kind = try outputValue("LiteRtGetQuantizationTypeId", 0) { kind in
      unsafe functions.pointee.LiteRtGetQuantizationTypeId(tensor, &kind)
    }
    guard kind == CLiteRTQuantizationPerTensor else { return nil }
    let code = try outputValue(
      "LiteRtGetPerTensorQuantization", LiteRtQuantizationPerTensor()
    ) { code in
      unsafe functions.pointee.LiteRtGetPerTensorQuantization(tensor, &code)
    }
    guard code.scale != 0 else { return nil }  // how a file says "none"
    guard code.scale.isFinite, let zeroPoint = Int(exactly: code.zero_point) else {
      let problem = "the quantization of \(name) is impossible (scale \(code.scale))"
      throw ModelError(.runtime, .modelRejected(detail: problem))
    }
    return TensorQuantization(scale: code.scale, zeroPoint: zeroPoint)
  }
}

// MARK: - Calls that answer through their last argument

extension LiteRTGraph {
  var functions: UnsafePointer<CLiteRTTable> { unsafe environment.library.functions }

  func outputValue<Value>(
    _ function: String, _ value: consuming Value, _ call: (inout Value) -> LiteRtStatus
  ) throws(ModelError) -> Value {
    try checkStatus(call(&value), from: function)
    return value
  }

  func outputHandle(
    _ function: String, _ call: (inout OpaquePointer?) -> LiteRtStatus
  ) throws(ModelError) -> OpaquePointer {
    var handle: OpaquePointer?
    let status = unsafe call(&handle)
    return try unsafe checkedHandle(handle, status, from: function)
  }

  func outputString(
    _ function: String, _ call: (inout UnsafePointer<CChar>?) -> LiteRtStatus
  ) throws(ModelError) -> String {
    var text: UnsafePointer<CChar>?
    try unsafe checkStatus(call(&text), from: function)
    return unsafe text.map { unsafe String(cString: $0) } ?? ""
  }
}

extension ElementType {
  private static let liteRTCodes: [(ElementType, Int)] = [
    (.float32, CLiteRTElementFloat32), (.float16, CLiteRTElementFloat16),
    (.float64, CLiteRTElementFloat64), (.uint8, CLiteRTElementUInt8),
    (.int8, CLiteRTElementInt8), (.int16, CLiteRTElementInt16), (.int32, CLiteRTElementInt32),
    (.int64, CLiteRTElementInt64), (.bool, CLiteRTElementBool), (.string, CLiteRTElementString),
  ]

  /// The type with LiteRT's number.
  init?(liteRTCode number: Int32) {
    guard let known = Self.liteRTCodes.first(where: { $0.1 == number }) else { return nil }
    self = known.0
  }

  /// LiteRT's number of the type.
  var liteRTCode: Int32 {
    Int32(Self.liteRTCodes.first { $0.0 == self }?.1 ?? 0)
  }

  /// The most bytes that one input or output may take.
  static let maxTensorByteCount = 2 << 30

  /// How many bytes a tensor takes, or an error when that is absurd.
  ///
  /// The runtime itself would multiply, overflow, and then allocate or hang.
  @discardableResult
  func validatedByteCount(_ shape: TensorShape, named name: String) throws(ModelError) -> Int {
    let (bytes, overflow) = (shape.elementCount ?? .max)
      .multipliedReportingOverflow(by: byteCount ?? 1)
    guard !overflow, bytes <= Self.maxTensorByteCount else {
      throw ModelError(
        .runtime, .modelRejected(detail: "\(name) with the shape \(shape) is too large"))
    }
    return bytes
  }
}

extension LiteRtLayout {
  /// The lengths of the axes, -1 where one varies.
  var axisLengths: [Int] {
    var layout = self
    return unsafe withUnsafePointer(to: &layout) { layout in
      unsafe (0..<min(clitert_rank(layout), CLiteRTMaxRank)).map { axis in
        unsafe Int(clitert_axis(layout, axis))
      }
    }
  }
}
