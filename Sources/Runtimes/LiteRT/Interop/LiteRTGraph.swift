import CLiteRT
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A model loaded by LiteRT, with the bytes that LiteRT continues to read.
@safe final class LiteRTGraph: @unchecked Sendable {  // LiteRT does not modify a loaded model
  let environment: LiteRTEnvironment
  let handle: LiteRtModel
  private let modelBytes: ModelBytes
  /// The model's entry in the weight cache, or `nil` if its weights are not cached.
  let cachedWeights: CachedWeights?
  /// Whether the model keeps values from run to run.
  let hasState: Bool
  /// Whether the model's only signature assigns values to variables in each run, which are its state; the variables of models
  /// with several signatures are those that are trained.
  let keepsStateInVariables: Bool
  /// The nodes that run custom operators in Swift.
  let customNodes: [CustomNode]
  /// The names of all custom operators in the file.
  let customOperatorNames: Set<String>

  /// The first operator of each subgraph whose shape is known in the run only.
  private let operatorsWithUnknownShapes: [String?]
  /// The subgraph of each signature.
  private let signatureSubgraphs: [Int]
  /// The shapes of inputs and outputs that have free dimensions, by subgraph and tensor.
  ///
  /// LiteRT does not report all of them.
  private let freeShapes: [[Int: TensorShape]]

  /// Loads a model.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - environment: The environment.
  ///   - operators: The custom operators that the model may use, by name.
  /// - Throws: `ModelError` if the model is rejected.
  convenience init(
    _ bytes: ModelBytes, in environment: LiteRTEnvironment,
    operators: [String: any CustomOperator.Type] = BuiltInCustomOperators.byName
  ) throws(ModelError) {
    guard bytes.count > 0 else {
      throw ModelError(.runtime, .modelRejected(detail: "the file is empty"))
    }
    let model = try TFLiteValidator.validatedModel(bytes)
    let prepared = try PreparedModel(model, operators: Set(operators.keys))
    let names = Set(model.operatorCodes.map(\.customName).filter { !$0.isEmpty })
    let nodes =
      names.isEmpty
      ? []
      : try prepared.model.customNodes(of: operators, originalNames: prepared.originalNames)
    try self.init(
      prepared, in: environment, nodes, names,
      environment.cachedWeights(of: bytes).map { prepared.bytes == nil ? $0 : $0.forCopy("") })
  }

  private init(
    _ prepared: PreparedModel, in environment: LiteRTEnvironment, _ customNodes: [CustomNode],
    _ customOperatorNames: Set<String>, _ cachedWeights: CachedWeights?
  ) throws(ModelError) {
    let bytes = prepared.model.bytes
    (self.customNodes, self.customOperatorNames) = (customNodes, customOperatorNames)
    self.cachedWeights = cachedWeights
    operatorsWithUnknownShapes = prepared.operatorsWithUnknownShapes
    signatureSubgraphs = prepared.model.signatures.map(\.subgraphIndex)
    freeShapes = prepared.model.subgraphs.map(\.freeShapes)
    let state = StateFields(prepared.model)
    hasState = state.hasVariables
    let signatures = prepared.model.signatures
    keepsStateInVariables =
      signatures.count <= 1
      && prepared.model.assignsVariables(signatures.first?.subgraphIndex ?? 0)
    let hidden = state.byteRanges
    guard hidden.isEmpty || environment.supportsState else {
      let detail = "a model with state requires LiteRT \(StateFields.supportedVersion)"
      throw ModelError(.runtime, .modelRejected(detail: detail))
    }
    self.environment = environment
    self.modelBytes = bytes
    unsafe handle = try environment.withExclusiveAccess { [bytes] () throws(ModelError) in
      var handle: LiteRtModel?
      guard let start = unsafe bytes.memory.baseAddress else {
        throw ModelError(.runtime, .modelRejected(detail: "the file is empty"))
      }
      let status = bytes.withZeros(at: hidden) {
        unsafe environment.library.functions.pointee.LiteRtCreateModelFromBuffer(
          environment.handle, start, bytes.count, &handle)
      }
      return try unsafe checkedHandle(handle, status, from: "LiteRtCreateModelFromBuffer")
    }
  }

  deinit {
    unsafe environment.library.functions.pointee.LiteRtDestroyModel(handle)
  }

  /// The operators of the model, or `nil` if they cannot be read.
  var operatorUsage: OperatorUsage? { OperatorUsage(modelBytes) }

  /// The inputs and outputs of the main subgraph in their order, or `nil` if they cannot be read.
  var mainSubgraphTensors: (inputs: [Int], outputs: [Int])? {
    guard let main = try? ParsedModel(modelBytes).subgraphs.first else { return nil }
    return (main.inputs, main.outputs)
  }

  /// Returns the operators of an entry point's subgraph, or `nil` if they cannot be read.
  func operators(of entryPoint: EntryPoint) -> SubgraphOperators? {
    SubgraphOperators(modelBytes, signature: entryPoint.signatureIndex)
  }

  /// Returns a metadata buffer of the file, or `nil` if there is none with that name.
  func metadata(named name: String) -> [UInt8]? {
    var start: UnsafeRawPointer?
    var count = 0
    let status = unsafe environment.library.functions.pointee.LiteRtGetModelMetadata(
      handle, name, &start, &count)
    guard status == 0, let start = unsafe start else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}

extension LiteRTEnvironment {
  /// Returns the entry of a model in the weight cache; `nil` if its weights are not cached.
  fileprivate func cachedWeights(of bytes: ModelBytes) -> CachedWeights? {
    guard let weightCache, bytes.count >= CachedWeights.minModelByteCount,
      let layoutKey = library.weightLayoutKey
    else { return nil }
    return CachedWeights(in: weightCache) {
      let digest = DigestCache(in: weightCache).digest(of: bytes.identity) { bytes.digest }
      return SHA256.digest(of: Array((digest + layoutKey).utf8)).hexadecimal
    }
  }
}

// MARK: - Shapes

extension ParsedSubgraph {
  /// The shapes of inputs and outputs that have free dimensions, by tensor.
  fileprivate var freeShapes: [Int: TensorShape] {
    (inputs + outputs).reduce(into: [:]) { shapes, index in
      let dimensions = tensors[index].declaredDimensions
      if !dimensions.isKnown { shapes[index] = TensorShape(dimensions) }
    }
  }
}

extension LiteRTGraph {
  /// Returns the subgraph that a signature runs.
  func subgraphIndex(ofSignature index: Int) -> Int {
    signatureSubgraphs.indices.contains(index) ? signatureSubgraphs[index] : 0
  }

  /// Returns the shape of an input or output with its free dimensions.
  func declaredShape(of tensor: UInt32, inSubgraph index: Int) -> TensorShape? {
    freeShapes.indices.contains(index) ? freeShapes[index][Int(tensor)] : nil
  }

  /// Returns the operator of a subgraph whose shape is known in the run only, or `nil` if LiteRT knows
  /// all shapes before a run.
  func operatorWithUnknownShape(inSubgraph index: Int) -> String? {
    operatorsWithUnknownShapes.indices.contains(index) ? operatorsWithUnknownShapes[index] : nil
  }

  /// Returns the model for some shapes of an entry point's inputs, in which the shapes that the graph
  /// computes from them are constants.
  func specialized(
    _ entryPoint: EntryPoint, to shapes: [[Int]]
  ) throws(ModelError) -> LiteRTGraph {
    let model = try parsedModel()
    let ordered = try inSubgraphOrder(shapes, of: entryPoint, model)
    let prepared = try PreparedModel(model, inputs: (entryPoint.subgraphIndex, ordered))
    return try LiteRTGraph(
      prepared, in: environment, customNodes, customOperatorNames,
      cachedWeights?.forCopy("\(shapes)"))
  }

  /// Returns the shapes of an entry point's outputs if LiteRT does not know them before a run.
  ///
  /// - Throws: `ModelError` if they depend on data, or LiteRT cannot return the outputs.
  func computedOutputShapes(
    of entryPoint: EntryPoint, inputs shapes: [[Int]]
  ) throws(ModelError) -> [[Int]]? {
    guard let name = operatorWithUnknownShape(inSubgraph: entryPoint.subgraphIndex) else {
      return nil
    }
    let model = try parsedModel()
    let ordered = try inSubgraphOrder(shapes, of: entryPoint, model)
    let inferred: InferredShapes
    let unknown: Set<Int>
    do throws(ModelValidationError) {
      let graph = model.subgraphs[entryPoint.subgraphIndex]
      inferred = try InferredShapes(graph, of: model, inputs: ordered)
      unknown = try FoldedShapes.outputsWithUnknownShapes(of: graph, in: model) {
        operatorWithUnknownShape(inSubgraph: $0) != nil
      }
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message))
    }
    var result: [[Int]] = []
    for output in entryPoint.outputs {
      let tensor = Int(output.tensorIndex)
      guard !unknown.contains(tensor), let shape = inferred.provenShape(of: tensor) else {
        let detail =
          "the size of the output '\(output.info.name)' is known only after the operator \(name) has"
          + " run, which LiteRT does not support; convert the model with fixed shapes"
        throw ModelError(.runtime, .modelRejected(detail: detail))
      }
      result.append(shape)
    }
    return result
  }

  private func parsedModel() throws(ModelError) -> ParsedModel {
    do throws(ModelValidationError) {
      return try ParsedModel(modelBytes)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message))
    }
  }

  /// Returns the shapes of an entry point's inputs in the order of its subgraph.
  private func inSubgraphOrder(
    _ shapes: [[Int]], of entryPoint: EntryPoint, _ model: ParsedModel
  ) throws(ModelError) -> [[Int]] {
    guard model.subgraphs.indices.contains(entryPoint.subgraphIndex) else {
      throw ModelError(.runtime, .modelRejected(detail: "a signature has no subgraph"))
    }
    let graph = model.subgraphs[entryPoint.subgraphIndex]
    return graph.inputs.map { tensor in
      let index = entryPoint.inputs.firstIndex { Int($0.tensorIndex) == tensor }
      return index.flatMap { shapes.indices.contains($0) ? shapes[$0] : nil }
        ?? graph.tensors[tensor].shape
    }
  }
}

extension LiteRTGraph {
  /// Returns a tensor's index in its subgraph.
  func tensorIndex(of tensor: LiteRtTensor) throws(ModelError) -> UInt32 {
    try outputValue("LiteRtGetTensorIndex", 0) { number in
      unsafe functions.pointee.LiteRtGetTensorIndex(tensor, &number)
    }
  }

  /// Returns the description of a tensor.
  func tensorInfo(of tensor: LiteRtTensor) throws(ModelError) -> TensorInfo {
    let name = try unsafe outputString("LiteRtGetTensorName") { name in
      unsafe functions.pointee.LiteRtGetTensorName(tensor, &name)
    }
    let type = try unsafe rankedType(of: tensor, name)
    guard let elementType = ElementType(liteRTCode: type.element_type) else {
      let feature = "the element type \(type.element_type) of tensor '\(name)'"
      throw ModelError(.runtime, .unsupported(feature))
    }
    let shape = TensorShape(signedDimensions: type.layout.signedDimensions)
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
      throw ModelError(.runtime, .unsupported("the unknown rank of tensor '\(name)'"))
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
    let quantization = try outputValue(
      "LiteRtGetPerTensorQuantization", LiteRtQuantizationPerTensor()
    ) { quantization in
      unsafe functions.pointee.LiteRtGetPerTensorQuantization(tensor, &quantization)
    }
    guard quantization.scale != 0 else { return nil }  // 0 means "not quantized"
    guard quantization.scale.isFinite, let zeroPoint = Int(exactly: quantization.zero_point) else {
      let detail = "tensor '\(name)' has the invalid quantization scale \(quantization.scale)"
      throw ModelError(.runtime, .modelRejected(detail: detail))
    }
    return TensorQuantization(scale: quantization.scale, zeroPoint: zeroPoint)
  }
}

// MARK: - Calls with an output parameter

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
    var string: UnsafePointer<CChar>?
    try unsafe checkStatus(call(&string), from: function)
    return unsafe string.map { unsafe String(cString: $0) } ?? ""
  }
}

extension ElementType {
  private static let liteRTCodes: [(ElementType, Int)] = [
    (.float32, CLiteRTElementFloat32), (.float16, CLiteRTElementFloat16),
    (.float64, CLiteRTElementFloat64), (.uint8, CLiteRTElementUInt8),
    (.int8, CLiteRTElementInt8), (.int16, CLiteRTElementInt16), (.int32, CLiteRTElementInt32),
    (.int64, CLiteRTElementInt64), (.bool, CLiteRTElementBool), (.string, CLiteRTElementString),
  ]

  /// Returns the type with LiteRT's code, or `nil` if it is not supported.
  init?(liteRTCode code: Int32) {
    guard let entry = Self.liteRTCodes.first(where: { $0.1 == code }) else { return nil }
    self = entry.0
  }

  /// LiteRT's code of the type.
  var liteRTCode: Int32 {
    Int32(Self.liteRTCodes.first { $0.0 == self }?.1 ?? 0)
  }

  /// The maximum size of one input or output in bytes.
  static let maxTensorByteCount = 2 << 30

  /// Returns the byte count of a tensor.
  ///
  /// LiteRT does not check for overflow and would allocate a wrong size or hang.
  ///
  /// - Throws: `ModelError` if the tensor exceeds ``maxTensorByteCount``.
  @discardableResult
  func validatedByteCount(_ shape: TensorShape, named name: String) throws(ModelError) -> Int {
    let (bytes, overflow) = (shape.elementCount ?? .max)
      .multipliedReportingOverflow(by: byteCount ?? 1)
    guard !overflow, bytes <= Self.maxTensorByteCount else {
      throw ModelError(
        .runtime, .modelRejected(detail: "tensor '\(name)' with shape \(shape) is too large"))
    }
    return bytes
  }
}

extension LiteRtLayout {
  /// The dimensions; -1 is a dimension of any size.
  var signedDimensions: [Int] {
    var layout = self
    return unsafe withUnsafePointer(to: &layout) { layout in
      unsafe (0..<min(clitert_rank(layout), CLiteRTMaxRank)).map { axis in
        unsafe Int(clitert_axis(layout, axis))
      }
    }
  }
}
