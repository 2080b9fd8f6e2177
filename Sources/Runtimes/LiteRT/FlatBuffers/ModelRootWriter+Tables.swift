/// Tables of the schema.
extension ModelRootWriter {
  /// The numbers of element types: 32-bit integers, and references to variables.
  static let (int32TypeCode, resourceTypeCode): (UInt8, UInt8) = (2, 13)
  /// The number of the element type of 32-bit floating-point numbers.
  static let float32TypeCode: UInt8 = 0

  /// A new tensor.
  struct Tensor {
    let name: String
    var shape: [Int]
    /// The shape with -1 for dimensions of any size; empty if the shape is fixed.
    var shapeSignature: [Int] = []
    let typeCode: UInt8
    let buffer: Int
  }

  /// A new operator.
  struct Operator {
    /// The options of an operator.
    enum Options {
      case existing(FlatBufferTable)
      case new(FlatBufferNode)
    }

    let codeIndex: Int
    let inputs: [Int]
    let outputs: [Int]
    /// The number of the type of the options; 0 without any.
    let optionsType: UInt8
    let options: Options?

    /// Creates an operator.
    init(
      code: Int, inputs: [Int], outputs: [Int], optionsType: UInt8, _ options: FlatBufferNode
    ) {
      (codeIndex, self.inputs, self.outputs) = (code, inputs, outputs)
      (self.optionsType, self.options) = (optionsType, .new(options))
    }

    /// Creates an operator with the code and options of another one.
    init(_ template: ParsedOperator, inputs: [Int], outputs: [Int]) {
      (codeIndex, self.inputs, self.outputs) = (template.operatorCodeIndex, inputs, outputs)
      optionsType = template.builtinOptionsType
      options = template.builtinOptions.map(Options.existing)
    }
  }

  /// Appends a vector of tables, lets a field refer to it, and returns the locations of its elements.
  mutating func addReferences(to field: Int, _ count: Int) -> [Int] {
    let (vector, elements) = prefix.addReferences(count)
    prefix.link(field, to: .new(vector))
    return elements
  }

  mutating func addTensor(_ tensor: Tensor, _ element: Int) {
    let table = prefix.addTable([
      .reference, .byte(tensor.typeCode), .word(UInt32(tensor.buffer)), .reference, .absent,
      .absent, .absent, tensor.shapeSignature.isEmpty ? .absent : .reference, .byte(1),
    ])
    prefix.link(element, to: .new(table.start))
    prefix.link(table.fields[0], to: .new(prefix.addIntegers(tensor.shape)))
    prefix.link(table.fields[3], to: .new(prefix.addString(tensor.name)))
    guard !tensor.shapeSignature.isEmpty else { return }
    prefix.link(table.fields[7], to: .new(prefix.addIntegers(tensor.shapeSignature)))
  }

  mutating func addOperator(_ entry: Operator, _ element: Int) {
    let table = prefix.addTable([
      .word(UInt32(entry.codeIndex)), .reference, .reference, .byte(entry.optionsType),
      entry.options == nil ? .absent : .reference,
    ])
    prefix.link(element, to: .new(table.start))
    prefix.link(table.fields[1], to: .new(prefix.addIntegers(entry.inputs)))
    prefix.link(table.fields[2], to: .new(prefix.addIntegers(entry.outputs)))
    switch entry.options {
    case .existing(let options): prefix.link(table.fields[4], to: .existing(options.start))
    case .new(let options): prefix.link(table.fields[4], to: .new(prefix.add(options).start))
    case nil: break
    }
  }

  mutating func addBuffer(_ data: [UInt8], _ element: Int) {
    let buffer = prefix.addTable([.reference])
    prefix.link(element, to: .new(buffer.start))
    prefix.link(buffer.fields[0], to: .new(prefix.addData(data)))
  }

  /// Appends a copy of a subgraph with more tensors and operators, in which some operators have other inputs.
  mutating func addSubgraph(
    _ graph: ParsedSubgraph, inputs: [Int: [Int]] = [:], outputs: [Int]? = nil,
    addedTensors: [Tensor], addedOperators: [Operator] = [], _ element: Int
  ) throws(ModelValidationError) {
    let name = reference(graph.table, 4)
    let table = prefix.addTable([
      .reference, .reference, .reference, .reference, name == nil ? .absent : .reference,
    ])
    prefix.link(element, to: .new(table.start))
    let tensors = references(graph.table, 0)
    let tensorElements = addReferences(to: table.fields[0], tensors.count + addedTensors.count)
    for (element, target) in zip(tensorElements, tensors) {
      prefix.link(element, to: .existing(target))
    }
    for (element, tensor) in zip(tensorElements.dropFirst(tensors.count), addedTensors) {
      addTensor(tensor, element)
    }
    prefix.link(table.fields[1], to: .new(prefix.addIntegers(graph.inputs)))
    prefix.link(table.fields[2], to: .new(prefix.addIntegers(outputs ?? graph.outputs)))
    let operators = references(graph.table, 3)
    let operatorElements = addReferences(
      to: table.fields[3], operators.count + addedOperators.count)
    for (element, entry) in zip(operatorElements.dropFirst(operators.count), addedOperators) {
      addOperator(entry, element)
    }
    for (index, element) in operatorElements.prefix(operators.count).enumerated() {
      if let inputs = inputs[index] {
        let template = graph.operators[index]
        addOperator(Operator(template, inputs: inputs, outputs: template.outputs), element)
      } else {
        prefix.link(element, to: .existing(operators[index]))
      }
    }
    if let name { prefix.link(table.fields[4], to: .existing(name)) }
  }
}
