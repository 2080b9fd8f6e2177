/// Tables of the schema.
extension ModelRootWriter {
  /// The numbers of element types: 32-bit integers, and references to variables.
  static let (int32TypeCode, resourceTypeCode): (UInt8, UInt8) = (2, 13)

  /// A new tensor.
  struct Tensor {
    let name: String
    var shape: [Int]
    let typeCode: UInt8
    let buffer: Int
  }

  /// A new operator with the code and options of another one.
  struct Operator {
    let template: ParsedOperator
    let inputs: [Int]
    let outputs: [Int]

    init(_ template: ParsedOperator, inputs: [Int], outputs: [Int]) {
      self.template = template
      self.inputs = inputs
      self.outputs = outputs
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
      .absent, .absent, .absent, .byte(1),
    ])
    prefix.link(element, to: .new(table.start))
    prefix.link(table.fields[0], to: .new(prefix.addIntegers(tensor.shape)))
    prefix.link(table.fields[3], to: .new(prefix.addString(tensor.name)))
  }

  mutating func addOperator(_ entry: Operator, _ element: Int) {
    let table = prefix.addTable([
      .word(UInt32(entry.template.operatorCodeIndex)), .reference, .reference,
      .byte(entry.template.builtinOptionsType),
      entry.template.builtinOptions == nil ? .absent : .reference,
    ])
    prefix.link(element, to: .new(table.start))
    prefix.link(table.fields[1], to: .new(prefix.addIntegers(entry.inputs)))
    prefix.link(table.fields[2], to: .new(prefix.addIntegers(entry.outputs)))
    if let options = entry.template.builtinOptions {
      prefix.link(table.fields[4], to: .existing(options.start))
    }
  }

  mutating func addBuffer(_ data: [UInt8], _ element: Int) {
    let buffer = prefix.addTable([.reference])
    prefix.link(element, to: .new(buffer.start))
    prefix.link(buffer.fields[0], to: .new(prefix.addData(data)))
  }

  /// Appends a copy of a subgraph with more tensors, in which some operators have other inputs.
  mutating func addSubgraph(
    _ graph: ParsedSubgraph, inputs: [Int: [Int]], addedTensors: [Tensor], _ element: Int
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
    prefix.link(table.fields[2], to: .new(prefix.addIntegers(graph.outputs)))
    let operators = references(graph.table, 3)
    let operatorElements = addReferences(to: table.fields[3], operators.count)
    for (index, element) in operatorElements.enumerated() {
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
