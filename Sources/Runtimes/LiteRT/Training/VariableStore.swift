import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A compiled model whose variables all its sessions share.
///
/// LiteRT's compiled models are not thread-safe, so one session runs at a time.
final class VariableStore: @unchecked Sendable {  // `lock` guards the compiled model
  /// The signatures of the file.
  let entryPoints: [EntryPoint]
  private let model: ParsedModel
  private let variables: ResourceVariables
  private let operators: [String: any CustomOperator.Type]
  private let compiled: CompiledGraph
  private let reading: LiteRTSession
  private let assigning: LiteRTSession
  private let lock = Mutex<Void>(())

  /// Compiles a model for training, or returns `nil` if the model has no variables.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - threads: The number of threads of a run.
  ///   - environment: The environment of the library.
  ///   - operators: The custom operators that the model may use, by name.
  /// - Throws: `ModelError` if LiteRT rejects the model, or if a variable has no constant initial
  ///   value.
  init?(
    _ bytes: ModelBytes, threads: Int, in environment: LiteRTEnvironment,
    operators: [String: any CustomOperator.Type] = BuiltInCustomOperators.byName
  ) throws(ModelError) {
    _ = try TFLiteValidator.validate(bytes)
    let extended: [UInt8]
    do throws(ModelValidationError) {
      model = try ParsedModel(bytes)
      variables = try ResourceVariables(model)
      guard !variables.variables.isEmpty else { return nil }
      try variables.requireConstantInitialValues(in: model)
      var subgraphs = try VariableSubgraphs(model, variables)
      extended = try subgraphs.addingSignatures()
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message))
    }
    let options = SessionOptions(threads: threads)
    self.operators = operators
    let graph = try LiteRTGraph(ModelBytes(extended), in: environment, operators: operators)
    compiled = try CompiledGraph(graph, options, cachingWeights: false)
    let all = try graph.entryPoints()
    entryPoints = Array(all.dropLast(2))
    reading = try LiteRTSession(sharing: compiled, all[all.count - 2], options)
    assigning = try LiteRTSession(sharing: compiled, all[all.count - 1], options)
  }

  /// Creates a session of one of the `entryPoints`, which runs within ``withExclusiveAccess(_:)``.
  func makeSession(_ entryPoint: EntryPoint) throws(ModelError) -> LiteRTSession {
    try withExclusiveAccess { () throws(ModelError) in try makeSessionWithinAccess(entryPoint) }
  }

  /// Creates a session of one of the `entryPoints` within ``withExclusiveAccess(_:)``.
  func makeSessionWithinAccess(_ entryPoint: EntryPoint) throws(ModelError) -> LiteRTSession {
    try compiled.graph.requireAvailableOperators(of: entryPoint, operators)
    return try LiteRTSession(sharing: compiled, entryPoint, SessionOptions())
  }

  /// Returns whether a signature assigns values to variables, other than the initial ones.
  func assignsVariables(_ entryPoint: EntryPoint) -> Bool {
    let signatures = model.signatures
    guard signatures.indices.contains(entryPoint.signatureIndex) else { return true }
    return model.assignsVariables(signatures[entryPoint.signatureIndex].subgraphIndex)
  }

  /// Whether sessions keep other values than variables from run to run.
  var hasState: Bool { compiled.graph.hasState }

  /// Ends runs early.
  var interruption: RunInterruption { compiled.interruption }

  /// Calls `body` while no other session uses the compiled model.
  func withExclusiveAccess<Result>(
    _ body: () throws(ModelError) -> Result
  ) throws(ModelError) -> Result {
    try lock.withLock { (_) throws(ModelError) in try body() }
  }
}

// MARK: - Weights

extension VariableStore {
  /// The suffix of the file with the values of the variables.
  private static let fileSuffix = ".safetensors"

  /// Returns the variables, sorted by name.
  ///
  /// The trainable ones are those that a signature reads without assigning any, such as one that predicts
  /// or computes the loss: only training reads the state of an optimizer.
  func modelVariables() -> [ModelVariable] {
    let outputs = reading.entryPoint.outputs
    let signatures = model.signatures
    let readers = entryPoints.filter { entryPoint in
      !assignsVariables(entryPoint) && signatures.indices.contains(entryPoint.signatureIndex)
        && entryPoint.inputs.allSatisfy { $0.info.elementType != .string }
    }
    let names = readers.reduce(into: Set<VariableName>()) { names, entryPoint in
      names.formUnion(
        model.variablesRead(by: signatures[entryPoint.signatureIndex].subgraphIndex))
    }
    return variables.variables.enumerated().map { index, variable in
      ModelVariable(
        name: "\(variable.name)", elementType: outputs[index].info.elementType,
        shape: variable.tensor.shape, isTrainable: names.isEmpty || names.contains(variable.name))
    }
  }

  /// Returns the values of variables.
  func values(of names: [String]) throws(ModelError) -> [TensorIOCore.Tensor] {
    let entries = try entries()
    var values: [TensorIOCore.Tensor] = []
    for name in names {
      guard let entry = entries.first(where: { $0.name == name }) else { continue }
      values.append(
        try TensorIOCore.Tensor(
          bytes: entry.data, elementType: entry.elementType, shape: entry.shape))
    }
    return values
  }

  /// Assigns values to variables; those without a value keep theirs.
  func assign(_ values: [String: TensorIOCore.Tensor]) throws(ModelError) {
    var entries = try entries()
    for index in entries.indices {
      guard let value = values[entries[index].name] else { continue }
      entries[index].data = try value.withBytes { (memory) throws(ModelError) in
        memory.copiedBytes
      }
    }
    try assign(entries)
  }

  /// Writes the variables to a file whose path begins with `prefix`.
  func save(to prefix: String) throws(ModelError) {
    let path = prefix + Self.fileSuffix
    let bytes = SafetensorsFile(try entries()).bytes
    try write(bytes, to: path)
    do throws(FileError) {
      try FileSystem.syncItem(path)
    } catch {
      throw ModelError(.run, .unwritable(path, detail: error.message))
    }
  }

  /// Assigns the values in a file whose path begins with `prefix` to the variables.
  func restore(from prefix: String) throws(ModelError) {
    try assign(SafetensorsFile(prefix + Self.fileSuffix, expecting: entries()).entries)
  }

  private func assign(_ entries: [SafetensorsFile.Entry]) throws(ModelError) {
    try withExclusiveAccess { () throws(ModelError) in
      for (index, entry) in entries.enumerated() {
        try assigning.fill(index) { (memory) throws(ModelError) in
          memory.copyBytes(from: entry.data)
        }
      }
      try assigning.invoke()
    }
  }

  /// Writes a model with the current values of the variables as initial values.
  func saveModel(to path: String) throws(ModelError) {
    let values = try entries().map(\.data)
    let bytes: [UInt8]
    do throws(ModelValidationError) {
      bytes = try variables.model(model, initializedTo: values)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message))
    }
    try write(bytes, to: path)
  }

  /// Returns the current values of the variables.
  private func entries() throws(ModelError) -> [SafetensorsFile.Entry] {
    let outputs = reading.entryPoint.outputs
    return try withExclusiveAccess { () throws(ModelError) in
      try reading.invoke()
      var entries: [SafetensorsFile.Entry] = []
      for (index, variable) in variables.variables.enumerated() {
        var data: [UInt8] = []
        try reading.read(index) { memory, _ in data = memory.copiedBytes }
        entries.append(
          SafetensorsFile.Entry(
            name: "\(variable.name)", elementType: outputs[index].info.elementType,
            shape: variable.tensor.shape, data: data))
      }
      return entries
    }
  }

  private func write(_ bytes: [UInt8], to path: String) throws(ModelError) {
    do throws(FileError) {
      try AtomicFile.write(bytes, to: path, isDurable: false)
    } catch {
      throw ModelError(.run, .unwritable(path, detail: error.message))
    }
  }
}
