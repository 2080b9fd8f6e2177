import CTensorFlow
import TensorIOBundle

/// A graph loaded by TensorFlow, with its variables in memory.
///
/// Any number of threads may run it concurrently.
@safe final class TensorFlowGraph: @unchecked Sendable {  // TensorFlow synchronizes access
  let library: TensorFlowLibrary
  let session: OpaquePointer
  private let graph: OpaquePointer

  /// Loads the graph with the given tags from a SavedModel folder.
  init(
    folder: String, tags: [String], threads: Int, _ library: TensorFlowLibrary
  ) throws(ModelError) {
    self.library = library
    let functions = unsafe library.functions.pointee
    guard let graph = unsafe functions.TF_NewGraph() else {
      throw ModelError(.runtime, .failed("TensorFlow could not allocate a graph"))
    }
    do throws(ModelError) {
      let options = try TensorFlowSessionOptions(threads: threads, library)
      unsafe session = try library.makeHandle("TF_LoadSessionFromSavedModel") { status in
        unsafe CStringArray.withPointers(tags) { pointers in
          unsafe functions.TF_LoadSessionFromSavedModel(
            options.handle, nil, folder, pointers, Int32(clamping: tags.count), graph, nil, status)
        }
      }
    } catch {
      unsafe functions.TF_DeleteGraph(graph)
      throw error
    }
    unsafe self.graph = graph
  }

  deinit {
    let functions = unsafe library.functions.pointee
    if let status = unsafe functions.TF_NewStatus() {
      unsafe functions.TF_CloseSession(session, status)
      unsafe functions.TF_DeleteSession(session, status)
      unsafe functions.TF_DeleteStatus(status)
    }
    unsafe functions.TF_DeleteGraph(graph)
  }
}

extension TensorFlowGraph {
  /// One output of an operation.
  @safe struct Output: Hashable, @unchecked Sendable {  // operations live as long as their graph
    let operation: OpaquePointer
    let index: Int32

    var tfOutput: TF_Output { unsafe TF_Output(oper: operation, index: index) }

    static func == (first: Output, second: Output) -> Bool {
      unsafe first.operation == second.operation && first.index == second.index
    }

    func hash(into hasher: inout Hasher) {
      unsafe hasher.combine(operation)
      hasher.combine(index)
    }
  }

  /// Returns output 0 of the operation with the given name, even if it has no outputs; `nil` if
  /// there is no such operation.
  func operation(named name: String) -> Output? {
    unsafe library.functions.pointee.TF_GraphOperationByName(graph, name).map {
      unsafe Output(operation: $0, index: 0)
    }
  }

  /// Returns the output named `operation:index` or `operation` (output 0), or `nil`.
  func output(named name: String) -> Output? {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let index = parts.count == 2 ? Int32(parts[1]) : 0,
      let first = operation(named: String(parts[0])), index >= 0,
      unsafe index < library.functions.pointee.TF_OperationNumOutputs(first.operation)
    else { return nil }
    return unsafe Output(operation: first.operation, index: index)
  }

  /// Returns the name of the operation that has the output.
  func operationName(of output: Output) -> String {
    unsafe String(cString: library.functions.pointee.TF_OperationName(output.operation))
  }

  /// Returns the type of the operation that has the output.
  func operationType(of output: Output) -> String {
    unsafe String(cString: library.functions.pointee.TF_OperationOpType(output.operation))
  }

  /// Returns the element type of an output (`nil` if it is not supported) and TensorFlow's code.
  func elementType(of output: Output) -> (type: ElementType?, code: Int) {
    let code = unsafe library.functions.pointee.TF_OperationOutputType(output.tfOutput)
    // Variables of TensorFlow 1 have reference types, whose codes are larger by 100.
    let referenceOffset: Int32 = 100
    let plainCode = code > referenceOffset ? code - referenceOffset : code
    return (ElementType(tensorFlowCode: plainCode), Int(code))
  }

  /// Returns the inferred shape of an output, or `nil` if its rank is unknown.
  func shape(of output: Output) throws(ModelError) -> TensorShape? {
    let functions = unsafe library.functions.pointee
    let rank = try unsafe library.withStatus("TF_GraphGetTensorNumDims") { status in
      unsafe functions.TF_GraphGetTensorNumDims(graph, output.tfOutput, status)
    }
    guard rank >= 0 else { return nil }
    var dimensions = [Int64](repeating: 0, count: Int(rank))
    try unsafe library.withStatus("TF_GraphGetTensorShape") { status in
      unsafe functions.TF_GraphGetTensorShape(graph, output.tfOutput, &dimensions, rank, status)
    }
    return TensorShape(signedDimensions: dimensions.map { Int(clamping: $0) })
  }

  /// The names of all operations.
  var operationNames: [String] {
    var names: [String] = []
    var position = 0
    while let operation = unsafe library.functions.pointee.TF_GraphNextOperation(graph, &position) {
      names.append(
        unsafe String(cString: library.functions.pointee.TF_OperationName(operation)))
    }
    return names
  }
}

extension TensorFlowGraph {
  /// Returns TensorFlow's code of an operation's type attribute.
  func typeAttribute(_ name: String, of operation: Output) throws(ModelError) -> Int32 {
    var code: Int32 = 0
    try unsafe library.withStatus("TF_OperationGetAttrType") { status in
      unsafe library.functions.pointee.TF_OperationGetAttrType(
        operation.operation, name, &code, status)
    }
    return code
  }

  /// Adds an operation to the graph in memory.
  ///
  /// - Parameters:
  ///   - type: The type of the operation.
  ///   - name: A name that no operation of the graph has.
  ///   - inputs: The inputs, in order.
  ///   - types: The type attributes, with TensorFlow's codes.
  /// - Returns: Output 0 of the operation, even if it has no outputs.
  /// - Throws: A ``ModelError`` if TensorFlow rejects the operation.
  func addOperation(
    _ type: String, named name: String, inputs: [Output] = [],
    types: [(name: String, code: Int32)]
  ) throws(ModelError) -> Output {
    let functions = unsafe library.functions.pointee
    guard let description = unsafe functions.TF_NewOperation(graph, type, name) else {
      throw ModelError(.runtime, .failed("TensorFlow could not allocate an operation"))
    }
    for input in inputs { unsafe functions.TF_AddInput(description, input.tfOutput) }
    for type in types { unsafe functions.TF_SetAttrType(description, type.name, type.code) }
    let operation = try unsafe library.makeHandle("TF_FinishOperation") { status in
      unsafe functions.TF_FinishOperation(description, status)
    }
    return unsafe Output(operation: operation, index: 0)
  }
}

/// The arguments of one run of a graph.
struct GraphRun {
  /// Values that replace outputs of operations.
  var feeds: [(output: TensorFlowGraph.Output, tensor: TensorFlowTensor)] = []
  /// The outputs to return.
  var fetches: [TensorFlowGraph.Output] = []
  /// Operations to run for their side effects.
  var targets: [TensorFlowGraph.Output] = []
}

extension TensorFlowGraph {
  /// Runs the graph and returns the fetched tensors in order.
  func run(
    _ run: GraphRun, at stage: ModelError.Stage = .run
  ) throws(ModelError) -> [TensorFlowTensor] {
    guard !run.fetches.isEmpty || !run.targets.isEmpty else { return [] }
    let inputs = unsafe run.feeds.map { unsafe $0.output.tfOutput }
    let values: [OpaquePointer?] = unsafe run.feeds.map { unsafe $0.tensor.handle }
    let outputs = unsafe run.fetches.map { unsafe $0.tfOutput }
    var results = unsafe [OpaquePointer?](repeating: nil, count: outputs.count)
    let targets: [OpaquePointer?] = unsafe run.targets.map { unsafe $0.operation }
    try unsafe library.withStatus("TF_SessionRun", at: stage) { status in
      unsafe library.functions.pointee.TF_SessionRun(
        session, nil, inputs, values, Int32(inputs.count), outputs, &results,
        Int32(outputs.count), targets, Int32(targets.count), nil, status)
    }
    // The handles in `values` are valid only as long as the tensors of `run`.
    return try withExtendedLifetime(run) { () throws(ModelError) in
      try unsafe takeOwnership(results)
    }
  }

  private func takeOwnership(_ results: [OpaquePointer?]) throws(ModelError) -> [TensorFlowTensor] {
    let tensors = unsafe results.compactMap {
      unsafe $0.map { unsafe TensorFlowTensor($0, of: library) }
    }
    guard unsafe tensors.count == results.count else {
      throw ModelError(.run, .failed("TensorFlow returned too few outputs"))
    }
    return tensors
  }
}

/// The options of a TensorFlow session.
@safe final class TensorFlowSessionOptions {
  let handle: OpaquePointer
  private let library: TensorFlowLibrary

  /// Creates options with the given number of threads.
  init(threads: Int, _ library: TensorFlowLibrary) throws(ModelError) {
    let functions = unsafe library.functions.pointee
    guard let handle = unsafe functions.TF_NewSessionOptions() else {
      throw ModelError(.runtime, .failed("TensorFlow could not allocate session options"))
    }
    unsafe self.handle = handle
    self.library = library
    let bytes = Self.configProto(threads: threads)
    try unsafe library.withStatus("TF_SetConfig") { status in
      unsafe functions.TF_SetConfig(handle, bytes, bytes.count, status)
    }
  }

  deinit {
    unsafe library.functions.pointee.TF_DeleteSessionOptions(handle)
  }

  /// Returns a `ConfigProto` that sets the number of threads within an operation
  /// (`intra_op_parallelism_threads`, field 2) and runs operations sequentially on the calling
  /// thread (`inter_op_parallelism_threads`, field 5).
  ///
  /// Switching threads takes longer than running a small graph, and large operations use all
  /// threads in either case.
  static func configProto(threads: Int) -> [UInt8] {
    let callingThread = varint(UInt64(bitPattern: -1))
    return [2 << 3] + varint(UInt64(clamping: threads)) + [5 << 3] + callingThread
  }

  private static func varint(_ number: UInt64) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + varint(number >> 7)
  }
}
