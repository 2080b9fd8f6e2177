internal import CTensorFlow
internal import TensorIOCore

/// A graph with its variables in memory, as TensorFlow loaded it.
///
/// TensorFlow lets any number of threads run it at once.
@safe final class LoadedGraph: @unchecked Sendable {  // TensorFlow guards what changes in it
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
      let options = try SessionConfiguration(threads: threads, library)
      unsafe session = try library.handle("TF_LoadSessionFromSavedModel") { status in
        unsafe CTexts.with(tags) { texts in
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

extension LoadedGraph {
  /// One value that an operation of the graph gives.
  @safe struct Place: Hashable, @unchecked Sendable {  // operations live as long as their graph
    let operation: OpaquePointer
    let index: Int32

    var output: TF_Output { unsafe TF_Output(oper: operation, index: index) }

    static func == (first: Place, second: Place) -> Bool {
      unsafe first.operation == second.operation && first.index == second.index
    }

    func hash(into hasher: inout Hasher) {
      unsafe hasher.combine(operation)
      hasher.combine(index)
    }
  }

  /// The first value of an operation, whether or not it gives one.
  func operation(named name: String) -> Place? {
    unsafe library.functions.pointee.TF_GraphOperationByName(graph, name).map {
      unsafe Place(operation: $0, index: 0)
    }
  }

  /// The value of the name `operation:index`, or the first of the name `operation`.
  func tensor(named name: String) -> Place? {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let index = parts.count == 2 ? Int32(parts[1]) : 0,
      let place = operation(named: String(parts[0])), index >= 0,
      unsafe index < library.functions.pointee.TF_OperationNumOutputs(place.operation)
    else { return nil }
    return unsafe Place(operation: place.operation, index: index)
  }

  /// The name of the operation that gives a value.
  func operationName(of place: Place) -> String {
    unsafe String(cString: library.functions.pointee.TF_OperationName(place.operation))
  }

  /// What kind of operation gives a value.
  func operationType(of place: Place) -> String {
    unsafe String(cString: library.functions.pointee.TF_OperationOpType(place.operation))
  }

  /// The type of a value's elements, or TensorFlow's number for one without support.
  func elementType(of place: Place) -> (type: ElementType?, number: Int) {
    let number = unsafe library.functions.pointee.TF_OperationOutputType(place.output)
    // A variable of TensorFlow 1 gives a reference to its values.
    let reference: Int32 = 100
    let plain = number > reference ? number - reference : number
    return (ElementType(tensorFlow: plain), Int(number))
  }

  /// The shape that the graph promises; `nil` where it knows not even how many axes there are.
  func shape(of place: Place) throws(ModelError) -> TensorShape? {
    let functions = unsafe library.functions.pointee
    let rank = try unsafe library.checked("TF_GraphGetTensorNumDims") { status in
      unsafe functions.TF_GraphGetTensorNumDims(graph, place.output, status)
    }
    guard rank >= 0 else { return nil }
    var lengths = [Int64](repeating: 0, count: Int(rank))
    try unsafe library.checked("TF_GraphGetTensorShape") { status in
      unsafe functions.TF_GraphGetTensorShape(graph, place.output, &lengths, rank, status)
    }
    return TensorShape(signed: lengths.map { Int(clamping: $0) })
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
