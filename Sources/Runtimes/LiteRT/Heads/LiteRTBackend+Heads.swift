package import TensorIOBundle
package import TensorIOCore

extension LiteRTBackend: HeadWritingBackend {
  /// Returns a copy of a `.tflite` file that returns the scores of a head.
  package func copy(
    of file: ModelFile, adding head: ClassifierHead, pooling: HeadPooling?, for use: ModelBinding
  ) throws(ModelError) -> [UInt8] {
    guard pooling == nil else {
      throw ModelError(
        .runtime, .unsupported("the setting \"pooling\" of a .tflite model with a head"),
        file: file.path)
    }
    guard let model = try load(file, for: use) as? LiteRTModel,
      let index = use.outputs.firstIndex(where: { $0.role == .embedding })
    else {
      throw ModelError(
        .runtime, .unsupported("a head on a model that is opened for training"), file: file.path)
    }
    let output = try model.fileTensor(ofOutput: index)
    return try changing(file, subgraph: output.subgraph) {
      (insertion, end) throws(ModelValidationError) in
      try insertion.adding(head, to: output.tensor, upTo: end)
    }
  }

  /// Returns the file behind the tables of the head.
  package func copyWithoutHead(
    of file: ModelFile, outputs: [String]
  ) throws(ModelError) -> [UInt8]? {
    let bytes = try file.contents(limit: ModelBytes.maxByteCount)
    let identifier = Array(ParsedModel.identifier.utf8)
    let step = FlatBufferPrefix.alignment
    let start = stride(from: step, to: bytes.count - identifier.count - 4, by: step).first {
      bytes[$0 + 4..<$0 + 4 + identifier.count].elementsEqual(identifier)
    }
    return start.map { Array(bytes[$0...]) }
  }

  /// Returns a copy that returns an output, or the input of the last layer with weights, as floating-point numbers.
  package func copyReturningEmbedding(
    of file: ModelFile, _ source: EmbeddingSource, for use: ModelBinding
  ) throws(ModelError) -> EmbeddingModelCopy? {
    let model = try Self.parsed(file)
    let entryPoint = try entryPoint(of: file, model, returning: source, for: use)
    let subgraph = entryPoint?.subgraphIndex ?? 0
    let graph = model.subgraphs[subgraph]
    let outputs = entryPoint?.outputs.map { Int($0.tensorIndex) } ?? graph.outputs
    let found: Int? =
      switch source {
      case .output(let index): outputs.indices.contains(index) ? outputs[index] : nil
      case .lastLayer: model.embeddingTensor(in: graph)
      case .layer(let name):
        model.embeddingTensors.first { graph.tensors[$0].table.string(3) == name }
      }
    guard let tensor = found else { return nil }
    let info = graph.tensors[tensor]
    let bytes = try changing(file, subgraph: subgraph) {
      (insertion, end) throws(ModelValidationError) in
      try insertion.returning(tensor, upTo: end)
    }
    return EmbeddingModelCopy(
      bytes: bytes, tensor: info.table.string(3),
      shape: info.shapeSignature.isEmpty ? info.shape : info.shapeSignature)
  }

  /// Returns the tensors of the main subgraph that are vectors.
  package func embeddingLayers(of file: ModelFile) throws(ModelError) -> [EmbeddingLayer] {
    let model = try Self.parsed(file)
    let tensors = model.subgraphs[0].tensors
    return model.embeddingTensors.map { index in
      EmbeddingLayer(name: tensors[index].table.string(3), length: tensors[index].vectorLength ?? 0)
    }
  }

  /// Returns the signature with an embedding; `nil` for that of the main subgraph, whose layers have names.
  private func entryPoint(
    of file: ModelFile, _ model: ParsedModel, returning source: EmbeddingSource,
    for use: ModelBinding
  ) throws(ModelError) -> EntryPoint? {
    if case .layer = source { return nil }
    guard model.callableSubgraphs.count > 1 else { return nil }
    return try entryPoint(of: file, for: use)
  }

  private static func parsed(_ file: ModelFile) throws(ModelError) -> ParsedModel {
    let source = try ModelBytes(file)
    do throws(ModelValidationError) {
      return try ParsedModel(source)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message), file: file.path)
    }
  }

  /// Changes a file without the archive behind it.
  private func changing(
    _ file: ModelFile, subgraph: Int,
    _ change: (inout HeadInsertion, Int) throws(ModelValidationError) -> [UInt8]
  ) throws(ModelError) -> [UInt8] {
    let end = try ModelError.rethrowing(.runtime) { () throws(OperationError) in
      try Self.rethrowing(file) { () throws(ArchiveError) in
        try Self.appendedArchive(of: file.path)?.startOffset
      }
    }
    let source = try ModelBytes(file)
    do throws(ModelValidationError) {
      var insertion = try HeadInsertion(source, subgraph: subgraph)
      return try change(&insertion, end ?? source.count)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message), file: file.path)
    }
  }
}

extension ParsedModel {
  /// Returns the input of the last operator with weights in a subgraph; `nil` unless that operator is a dense layer.
  fileprivate func embeddingTensor(in graph: ParsedSubgraph) -> Int? {
    let last = graph.operators.last { entry in
      Self.weightedOperators.contains(operatorCodes[entry.operatorCodeIndex].name)
        && entry.inputs.count > 1 && weights(of: entry, in: graph) != nil
    }
    guard let last, let shape = weights(of: last, in: graph)?.shape,
      let input = last.inputs.first, graph.tensors.indices.contains(input)
    else { return nil }
    let isDense =
      switch operatorCodes[last.operatorCodeIndex].name {
      case "FULLY_CONNECTED": true
      // A dense layer whose weights are a variable.
      case "BATCH_MATMUL": shape.count == 2 && graph.tensors[input].shape.count == 2
      // A convolution of a single place, as in MobileNet.
      case "CONV_2D":
        shape.count == 4 && shape[1] == 1 && shape[2] == 1
          && graph.tensors[input].shape.dropLast().allSatisfy { $0 == 1 }
      default: false
      }
    return isDense ? input : nil
  }

  /// The vectors that operators compute and that are no outputs: the input of the last layer with weights first, then from
  /// the last one on, of each length the last one of several in a row.
  fileprivate var embeddingTensors: [Int] {
    let graph = subgraphs[0]
    let outputLengths = Set(graph.outputs.compactMap { graph.tensors[$0].vectorLength })
    var found = [embeddingTensor(in: graph)].compactMap(\.self)
    var length = found.first.flatMap { graph.tensors[$0].vectorLength }
    for index in graph.operators.reversed().flatMap(\.outputs)
    where graph.tensors.indices.contains(index) {
      let tensor = graph.tensors[index]
      guard let count = tensor.vectorLength, count >= EmbeddingLayer.minLength, count != length,
        !outputLengths.contains(count), tensor.isNamed, !found.contains(index)
      else { continue }
      found.append(index)
      length = count
    }
    return found
  }

  private static let weightedOperators: Set = [
    "FULLY_CONNECTED", "CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "BATCH_MATMUL",
  ]

  /// Returns the constant, or the value of a variable, that an operator multiplies with its input.
  private func weights(of entry: ParsedOperator, in graph: ParsedSubgraph) -> ParsedTensor? {
    let index = entry.inputs[1]
    guard graph.tensors.indices.contains(index) else { return nil }
    let tensor = graph.tensors[index]
    let isConstant =
      buffers.indices.contains(tensor.bufferIndex)
      && buffers[tensor.bufferIndex].byteRange != nil
    return isConstant || isValueOfVariable(index, in: graph) ? tensor : nil
  }

  /// Returns whether a tensor is the value of a variable, possibly transposed or in another shape.
  private func isValueOfVariable(_ index: Int, in graph: ParsedSubgraph) -> Bool {
    var current = index
    // Operators follow those whose outputs they read, so one pass from the end suffices.
    for entry in graph.operators.reversed() where entry.outputs == [current] {
      switch name(of: entry) {
      case "READ_VARIABLE": return true
      case "TRANSPOSE", "RESHAPE": current = entry.inputs.first ?? -1
      default: return false
      }
    }
    return false
  }
}

extension ParsedTensor {
  /// The number of elements if they are numbers of one vector; `nil` otherwise.
  fileprivate var vectorLength: Int? {
    let isNumeric = [ModelRootWriter.float32TypeCode, 3, 9].contains(typeCode)  // 3 and 9 are bytes
    let lengths = shape.filter { $0 != 1 }
    return isNumeric && lengths.count == 1 && lengths[0] > 0 && shape.last == lengths[0]
      ? lengths[0] : nil
  }
}
