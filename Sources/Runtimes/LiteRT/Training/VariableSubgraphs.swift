/// Writes subgraphs that read, assign or initialize the variables of a model, in front of its file.
struct VariableSubgraphs {
  private let model: ParsedModel
  private let variables: ResourceVariables
  private let templates: Templates
  private var writer: ModelRootWriter

  /// Operators of the model, whose codes and options new operators share.
  private struct Templates {
    let read: ParsedOperator
    let assign: ParsedOperator
  }

  /// The names of the added signatures.
  static let (readingName, assigningName) = ("tensorio.read-variables", "tensorio.assign-variables")

  /// Reads the tables that the new ones refer to.
  ///
  /// - Throws: An error if the model neither reads nor assigns a variable.
  init(_ model: ParsedModel, _ variables: ResourceVariables) throws(ModelValidationError) {
    self.model = model
    self.variables = variables
    writer = try ModelRootWriter(model.bytes)
    let operators = model.subgraphs.lazy.flatMap(\.operators)
    guard let read = operators.first(where: { model.name(of: $0) == "READ_VARIABLE" }),
      let assign = operators.first(where: { model.name(of: $0) == "ASSIGN_VARIABLE" })
    else { throw ModelValidationError(.variables, "the model has no variables") }
    templates = Templates(read: read, assign: assign)
  }

  /// Returns the file with two more signatures: one that returns all variables, and one that assigns
  /// them.
  mutating func addingSignatures() throws(ModelValidationError) -> [UInt8] {
    let (graphs, signatures) = (writer.references(.subgraphs), writer.references(.signatures))
    let root = writer.addRoot(replacing: [.subgraphs, .signatures])
    let subgraphElements = writer.addVector(root, .subgraphs, existing: graphs, added: 2)
    let signatureElements = writer.addVector(root, .signatures, existing: signatures, added: 2)
    let values = variables.variables.indices.map { 2 * $0 + 1 }
    let handles = values.map { $0 - 1 }
    let graphsAndNames = [
      (Self.readingName, inputs: [Int](), outputs: values, access: templates.read),
      (Self.assigningName, inputs: values, outputs: [], access: templates.assign),
    ]
    for (index, graph) in graphsAndNames.enumerated() {
      let accesses = zip(handles, values).flatMap { handle, value in
        let isRead = graph.outputs.contains(value)
        return [
          operatorReferring(to: handle / 2, at: handle),
          Operator(
            graph.access, inputs: isRead ? [handle] : [handle, value],
            outputs: isRead ? [value] : []),
        ]
      }
      // Initial values are assigned at the first run of any subgraph that requests it. Requesting it
      // here keeps a later run from replacing values that this one assigned.
      let initializers = variables.initializers.map { Operator($0, inputs: [], outputs: []) }
      let tensors = variables.variables.indices.flatMap { index in
        let value = valueTensor(index)
        return [handleTensor(index), graph.inputs.isEmpty ? value.asOutputOfRead : value]
      }
      let start = addSubgraph(
        graph.0, tensors, inputs: graph.inputs, outputs: graph.outputs, initializers + accesses)
      writer.prefix.link(subgraphElements[index], to: .new(start))
      let signature = addSignature(
        graph.0, subgraph: graphs.count + index, inputs: graph.inputs, outputs: graph.outputs)
      writer.prefix.link(signatureElements[index], to: .new(signature))
    }
    return writer.file(root: root)
  }

  /// Returns the file with other initial values.
  ///
  /// Each variable gets a buffer, because converters let equal initial values share one.
  mutating func initialized(to values: [[UInt8]]) throws(ModelValidationError) -> [UInt8] {
    let (graphs, buffers) = (writer.references(.subgraphs), writer.references(.buffers))
    let root = writer.addRoot(replacing: [.subgraphs, .buffers])
    let initializers = Set(variables.variables.map(\.initializer)).sorted()
    let subgraphElements = writer.addElements(root, .subgraphs, graphs.count)
    let bufferElements = writer.addVector(root, .buffers, existing: buffers, added: values.count)
    for (index, element) in subgraphElements.enumerated() {
      guard initializers.contains(index) else {
        writer.prefix.link(element, to: .existing(graphs[index]))
        continue
      }
      let assigned = variables.variables.indices.filter {
        variables.variables[$0].initializer == index
      }
      var tensors: [Tensor] = []
      var operators: [Operator] = []
      for variable in assigned {
        operators.append(operatorReferring(to: variable, at: tensors.count))
        operators.append(
          Operator(
            templates.assign, inputs: [tensors.count, tensors.count + 1], outputs: []))
        tensors += [
          handleTensor(variable), valueTensor(variable, buffer: buffers.count + variable),
        ]
      }
      let start = addSubgraph("initialize", tensors, inputs: [], outputs: [], operators)
      writer.prefix.link(element, to: .new(start))
    }
    for (element, value) in zip(bufferElements, values) { writer.addBuffer(value, element) }
    return writer.file(root: root)
  }
}

// MARK: - Tables of the schema

extension VariableSubgraphs {
  private typealias Tensor = ModelRootWriter.Tensor
  private typealias Operator = ModelRootWriter.Operator

  private func handleTensor(_ index: Int) -> Tensor {
    Tensor(
      name: "handle_\(index)", shape: [], typeCode: ModelRootWriter.resourceTypeCode, buffer: 0)
  }

  private func valueTensor(_ index: Int, buffer: Int = 0) -> Tensor {
    let tensor = variables.variables[index].tensor
    return Tensor(
      name: "value_\(index)", shape: tensor.shape, typeCode: tensor.typeCode, buffer: buffer)
  }

  private func operatorReferring(to index: Int, at handle: Int) -> Operator {
    Operator(variables.variables[index].handle, inputs: [], outputs: [handle])
  }

  private mutating func addSubgraph(
    _ name: String, _ tensors: [Tensor], inputs: [Int], outputs: [Int], _ operators: [Operator]
  ) -> Int {
    let table = writer.prefix.addTable([.reference, .reference, .reference, .reference, .reference])
    let tensorElements = writer.addReferences(to: table.fields[0], tensors.count)
    for (element, tensor) in zip(tensorElements, tensors) { writer.addTensor(tensor, element) }
    writer.prefix.link(table.fields[1], to: .new(writer.prefix.addIntegers(inputs)))
    writer.prefix.link(table.fields[2], to: .new(writer.prefix.addIntegers(outputs)))
    let operatorElements = writer.addReferences(to: table.fields[3], operators.count)
    for (element, entry) in zip(operatorElements, operators) { writer.addOperator(entry, element) }
    writer.prefix.link(table.fields[4], to: .new(writer.prefix.addString(name)))
    return table.start
  }

  private mutating func addSignature(
    _ name: String, subgraph: Int, inputs: [Int], outputs: [Int]
  ) -> Int {
    let table = writer.prefix.addTable([
      .reference, .reference, .reference, .absent, .word(UInt32(subgraph)),
    ])
    for (field, tensors) in [(0, inputs), (1, outputs)] {
      let elements = writer.addReferences(to: table.fields[field], tensors.count)
      for (element, tensor) in zip(elements, tensors) {
        let entry = writer.prefix.addTable([.reference, .word(UInt32(tensor))])
        writer.prefix.link(element, to: .new(entry.start))
        writer.prefix.link(
          entry.fields[0], to: .new(writer.prefix.addString("value_\(tensor / 2)")))
      }
    }
    writer.prefix.link(table.fields[2], to: .new(writer.prefix.addString(name)))
    return table.start
  }
}

extension ModelRootWriter.Tensor {
  /// The tensor as an output of a signature, into which a variable is read.
  ///
  /// LiteRT allocates the memory of a scalar itself, because it does not know the rank, and then
  /// cannot use that of the caller.
  fileprivate var asOutputOfRead: Self {
    var tensor = self
    if shape.isEmpty { tensor.shape = [1] }
    return tensor
  }
}
