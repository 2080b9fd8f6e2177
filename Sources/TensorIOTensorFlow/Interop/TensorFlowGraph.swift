import CTensorFlow
import TensorIOBundle

/// A graph with its variables in memory, as TensorFlow loaded it.
///
/// TensorFlow lets any number of threads run it at once.
@safe final class TensorFlowGraph: @unchecked Sendable {  // TensorFlow guards what changes in it
  let library: TensorFlowLibrary
  let session: OpaquePointer
  private let graph: OpaquePointer

  /// Loads the graph with the given tags out of a SavedModel's folder.
  init(
    folder: String, tags: [String], threads: Int, _ library: TensorFlowLibrary
  ) throws(ModelError) {
    self.library = library
    let functions = unsafe library.functions.pointee
    guard let graph = unsafe functions.TF_NewGraph() else {
      throw ModelError(.runtime, .failed("there is no memory for a graph"))
    }
    do throws(ModelError) {
      let options = try TensorFlowSessionOptions(threads: threads, library)
      unsafe session = try library.makeHandle("TF_LoadSessionFromSavedModel") { status in
        unsafe CStringArray.withPointers(tags) { texts in
          unsafe functions.TF_LoadSessionFromSavedModel(
            options.handle, nil, folder, texts, Int32(clamping: tags.count), graph, nil, status)
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
  /// One value that an operation of the graph gives.
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

  /// The first value of an operation, whether or not it gives one.
  func operation(named name: String) -> Output? {
    unsafe library.functions.pointee.TF_GraphOperationByName(graph, name).map {
      unsafe Output(operation: $0, index: 0)
    }
  }

  /// The value of the name `operation:index`, or the first of the name `operation`.
  func output(named name: String) -> Output? {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let index = parts.count == 2 ? Int32(parts[1]) : 0,
      let place = operation(named: String(parts[0])), index >= 0,
      unsafe index < library.functions.pointee.TF_OperationNumOutputs(place.operation)
    else { return nil }
    return unsafe Output(operation: place.operation, index: index)
  }

  /// The name of the operation that gives a value.
  func operationName(of place: Output) -> String {
    unsafe String(cString: library.functions.pointee.TF_OperationName(place.operation))
  }

  /// What kind of operation gives a value.
  func operationType(of place: Output) -> String {
    unsafe String(cString: library.functions.pointee.TF_OperationOpType(place.operation))
  }

  /// The type of a value's elements, or TensorFlow's number for one without support.
  func elementType(of place: Output) -> (type: ElementType?, number: Int) {
    let number = unsafe library.functions.pointee.TF_OperationOutputType(place.tfOutput)
    // A variable of TensorFlow 1 gives a reference to its values.
    let reference: Int32 = 100
    let plain = number > reference ? number - reference : number
    return (ElementType(tensorFlowCode: plain), Int(number))
  }

  /// The shape that the graph promises; `nil` where it knows not even how many axes there are.
  func shape(of place: Output) throws(ModelError) -> TensorShape? {
    let functions = unsafe library.functions.pointee
    let rank = try unsafe library.withStatus("TF_GraphGetTensorNumDims") { status in
      unsafe functions.TF_GraphGetTensorNumDims(graph, place.tfOutput, status)
    }
    guard rank >= 0 else { return nil }
    var lengths = [Int64](repeating: 0, count: Int(rank))
    try unsafe library.withStatus("TF_GraphGetTensorShape") { status in
      unsafe functions.TF_GraphGetTensorShape(graph, place.tfOutput, &lengths, rank, status)
    }
    return TensorShape(signedDimensions: lengths.map { Int(clamping: $0) })
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

/// What one run of a graph is asked for.
struct GraphRun {
  /// Values in the place of what their operations would give.
  var feeds: [(place: TensorFlowGraph.Output, tensor: TensorFlowTensor)] = []
  /// The values that are wanted.
  var fetches: [TensorFlowGraph.Output] = []
  /// Operations that are run for what they do.
  var targets: [TensorFlowGraph.Output] = []
}

extension TensorFlowGraph {
  /// Runs the graph and gives what was asked for, in order.
  func run(
    _ run: GraphRun, at stage: ModelError.Stage = .run
  ) throws(ModelError) -> [TensorFlowTensor] {
    guard !run.fetches.isEmpty || !run.targets.isEmpty else { return [] }
    let inputs = unsafe run.feeds.map { unsafe $0.place.tfOutput }
    let values: [OpaquePointer?] = unsafe run.feeds.map { unsafe $0.tensor.handle }
    let outputs = unsafe run.fetches.map { unsafe $0.tfOutput }
    var results = unsafe [OpaquePointer?](repeating: nil, count: outputs.count)
    let targets: [OpaquePointer?] = unsafe run.targets.map { unsafe $0.operation }
    try unsafe library.withStatus("TF_SessionRun", at: stage) { status in
      unsafe library.functions.pointee.TF_SessionRun(
        session, nil, inputs, values, Int32(inputs.count), outputs, &results,
        Int32(outputs.count), targets, Int32(targets.count), nil, status)
    }
    // The tensors whose values are handed over live until here.
    return try withExtendedLifetime(run) { () throws(ModelError) in try unsafe takeOwnership(results) }
  }

  private func takeOwnership(_ results: [OpaquePointer?]) throws(ModelError) -> [TensorFlowTensor] {
    let tensors = unsafe results.compactMap {
      unsafe $0.map { unsafe TensorFlowTensor($0, of: library) }
    }
    guard unsafe tensors.count == results.count else {
      throw ModelError(.run, .failed("TensorFlow gave too few values"))
    }
    return tensors
  }
}

/// How a graph is run: with how many threads.
@safe final class TensorFlowSessionOptions {
  let handle: OpaquePointer
  private let library: TensorFlowLibrary

  /// Options with the given number of threads.
  init(threads: Int, _ library: TensorFlowLibrary) throws(ModelError) {
    let functions = unsafe library.functions.pointee
    guard let handle = unsafe functions.TF_NewSessionOptions() else {
      throw ModelError(.runtime, .failed("there is no memory for TensorFlow's options"))
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

  /// A `ConfigProto` with the number of threads within an operation (field 2), and none between
  /// operations (field 5): they follow each other in the thread that asks for the run.
  ///
  /// Handing a run to other threads and waking up when it is done takes longer than a small graph
  /// does, and large operations keep all threads busy anyway.
  static func configProto(threads: Int) -> [UInt8] {
    let callersThread = varint(UInt64(bitPattern: -1))
    return [2 << 3] + varint(UInt64(clamping: threads)) + [5 << 3] + callersThread
  }

  private static func varint(_ number: UInt64) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + varint(number >> 7)
  }
}
