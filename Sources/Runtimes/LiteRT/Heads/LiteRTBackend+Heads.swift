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
    let output = try model.mainSubgraphOutput(index)
    return try changing(file) { (insertion, end) throws(ModelValidationError) in
      try insertion.adding(head, to: output, upTo: end)
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
    of file: ModelFile, output: Int?, for use: ModelBinding
  ) throws(ModelError) -> EmbeddingModelCopy? {
    let source = try ModelBytes(file)
    let model: ParsedModel
    do throws(ModelValidationError) {
      model = try ParsedModel(source)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message), file: file.path)
    }
    let outputs = model.subgraphs[0].outputs
    let found = output.map { outputs.indices.contains($0) ? outputs[$0] : nil }
    guard let tensor = found ?? model.embeddingTensor else { return nil }
    let info = model.subgraphs[0].tensors[tensor]
    let bytes = try changing(file) { (insertion, end) throws(ModelValidationError) in
      try insertion.returning(tensor, upTo: end)
    }
    return EmbeddingModelCopy(
      bytes: bytes, tensor: info.table.string(3),
      shape: info.shapeSignature.isEmpty ? info.shape : info.shapeSignature)
  }

  /// Changes a file without the archive behind it.
  private func changing(
    _ file: ModelFile,
    _ change: (inout HeadInsertion, Int) throws(ModelValidationError) -> [UInt8]
  ) throws(ModelError) -> [UInt8] {
    let end = try ModelError.rethrowing(.runtime) { () throws(OperationError) in
      try Self.rethrowing(file) { () throws(ArchiveError) in
        try Self.appendedArchive(of: file.path)?.startOffset
      }
    }
    let source = try ModelBytes(file)
    do throws(ModelValidationError) {
      var insertion = try HeadInsertion(source)
      return try change(&insertion, end ?? source.count)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message), file: file.path)
    }
  }
}

extension ParsedModel {
  /// The input of the last operator with weights in the main subgraph; `nil` unless that operator is a dense layer.
  fileprivate var embeddingTensor: Int? {
    let graph = subgraphs[0]
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
      // A convolution of a single place, as in MobileNet.
      case "CONV_2D":
        shape.count == 4 && shape[1] == 1 && shape[2] == 1
          && graph.tensors[input].shape.dropLast().allSatisfy { $0 == 1 }
      default: false
      }
    return isDense ? input : nil
  }

  private static let weightedOperators: Set = [
    "FULLY_CONNECTED", "CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "BATCH_MATMUL",
  ]

  /// The constant that an operator multiplies with its input.
  private func weights(of entry: ParsedOperator, in graph: ParsedSubgraph) -> ParsedTensor? {
    let index = entry.inputs[1]
    guard graph.tensors.indices.contains(index) else { return nil }
    let tensor = graph.tensors[index]
    guard buffers.indices.contains(tensor.bufferIndex),
      buffers[tensor.bufferIndex].byteRange != nil
    else { return nil }
    return tensor
  }
}
