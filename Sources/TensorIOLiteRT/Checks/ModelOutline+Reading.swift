extension ModelOutline {
  /// Reads a model, or says what of it lies nowhere.
  init(_ bytes: ModelBytes) throws(ModelProblem) {
    let walk = FlatWalk(bytes)
    let model = try walk.root(identifier: "TFL3")
    self.bytes = bytes
    kinds = try walk.tables(model, 1) { code throws(ModelProblem) in OperatorKind(code) }
    graphs = try walk.tables(model, 2) { graph throws(ModelProblem) in
      try GraphOutline(graph, walk)
    }
    buffers = try walk.tables(model, 4) { buffer throws(ModelProblem) in
      try BufferOutline(buffer, walk)
    }
    metadataBuffers = try walk.integers(model, 5)
    metadata = try walk.tables(model, 6) { entry throws(ModelProblem) in
      MetadataOutline(
        isNamed: try walk.list(entry, 0, elementSize: 1) != nil,
        buffer: Int(try walk.number(entry, 1, orElse: UInt32(0))))
    }
    signatures = try walk.tables(model, 7) { signature throws(ModelProblem) in
      try SignatureOutline(signature, walk)
    }
    try require(!graphs.isEmpty, .graphs, "it has no graph")
  }
}

extension GraphOutline {
  fileprivate init(_ graph: FlatTable, _ walk: FlatWalk) throws(ModelProblem) {
    tensors = try walk.tables(graph, 0) { tensor throws(ModelProblem) in
      try TensorOutline(tensor, walk)
    }
    inputs = try walk.integers(graph, 1)
    outputs = try walk.integers(graph, 2)
    operators = try walk.tables(graph, 3) { entry throws(ModelProblem) in
      try OperatorOutline(entry, walk)
    }
  }
}

extension TensorOutline {
  fileprivate init(_ tensor: FlatTable, _ walk: FlatWalk) throws(ModelProblem) {
    shape = try walk.integers(tensor, 0)
    signature = try walk.integers(tensor, 7)
    let number = try walk.number(tensor, 1, orElse: UInt8(0))
    type = TensorType(number: number)
    values = ValueKind(number: number)
    buffer = Int(try walk.number(tensor, 2, orElse: UInt32(0)))
    isElsewhere = try walk.number(tensor, 10, orElse: UInt32(0)) != 0
    isNamed = try walk.hasText(tensor, 3)
    isVariable = try walk.number(tensor, 5, orElse: UInt8(0)) != 0
    isSparse = try walk.table(tensor, 6) != nil
    quantization = try walk.table(tensor, 4).map { table throws(ModelProblem) in
      try QuantizationOutline(table, walk)
    }
  }
}

extension QuantizationOutline {
  /// The ways to quantize that keep scales and zero points in tensors of their own.
  private static let waysWithTensors: Set<UInt8> = [2, 3]

  fileprivate init(_ table: FlatTable, _ walk: FlatWalk) throws(ModelProblem) {
    scales = try walk.numbers(table, 2).map { (bits: UInt32) in Float(bitPattern: bits) }
    zeroPoints = try walk.numbers(table, 3)
    axis = Int(try walk.number(table, 6, orElse: Int32(0)))
    let way = try walk.number(table, 4, orElse: UInt8(0))
    guard Self.waysWithTensors.contains(way), let details = try walk.table(table, 5) else {
      tensors = []
      return
    }
    let scale = try walk.number(details, 0, orElse: Int32(0))
    let zeroPoint = try walk.number(details, 1, orElse: Int32(0))
    tensors = zeroPoint == -1 ? [Int(scale)] : [Int(scale), Int(zeroPoint)]
  }
}

extension OperatorOutline {
  fileprivate init(_ table: FlatTable, _ walk: FlatWalk) throws(ModelProblem) {
    kind = Int(try walk.number(table, 0, orElse: UInt32(0)))
    inputs = try walk.integers(table, 1)
    outputs = try walk.integers(table, 2)
    optionsForm = try walk.number(table, 3, orElse: 0)
    options = try walk.table(table, 4)
    newerOptions = try walk.table(table, 12)
    distantOptions = try walk.distantBytes(table, offset: 9, size: 10)
  }
}

extension BufferOutline {
  fileprivate init(_ table: FlatTable, _ walk: FlatWalk) throws(ModelProblem) {
    if let distant = try walk.distantBytes(table, offset: 1, size: 2) {
      place = distant
    } else if let list = try walk.list(table, 0, elementSize: 1, costs: false) {
      place = UInt64(list.bytes.lowerBound)..<UInt64(list.bytes.upperBound)
    } else {
      place = nil
    }
  }
}

extension SignatureOutline {
  fileprivate init(_ table: FlatTable, _ walk: FlatWalk) throws(ModelProblem) {
    typealias Entry = (tensor: Int, isNamed: Bool)
    let entries = { (field: Int) throws(ModelProblem) -> [Entry] in
      try walk.tables(table, field) { entry throws(ModelProblem) in
        (Int(try walk.number(entry, 1, orElse: UInt32(0))), try walk.hasText(entry, 0))
      }
    }
    let (inputs, outputs) = (try entries(0), try entries(1))
    self.inputs = inputs.map(\.tensor)
    self.outputs = outputs.map(\.tensor)
    isNamed = (inputs + outputs).allSatisfy(\.isNamed)
    graph = Int(try walk.number(table, 4, orElse: UInt32(0)))
  }
}
