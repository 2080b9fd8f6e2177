import CLiteRT
import TensorIOBundle

extension LiteRTGraph {
  /// Every way to run the model.
  ///
  /// LiteRT gives a model without signatures one that lists the whole graph; here it is `main`.
  func entryPoints() throws(ModelError) -> [EntryPoint] {
    let count = try outputValue("LiteRtGetNumModelSignatures", 0) { count in
      unsafe functions.pointee.LiteRtGetNumModelSignatures(handle, &count)
    }
    let main = try unsafe mainSubgraph()
    var entries: [EntryPoint] = []
    for index in 0..<count {
      entries.append(try unsafe entryPoint(index, main: main))
    }
    return entries
  }

  private func mainSubgraph() throws(ModelError) -> LiteRtSubgraph {
    let index = try outputValue("LiteRtGetMainModelSubgraphIndex", 0) { index in
      unsafe functions.pointee.LiteRtGetMainModelSubgraphIndex(handle, &index)
    }
    return try unsafe outputHandle("LiteRtGetModelSubgraph") { graph in
      unsafe functions.pointee.LiteRtGetModelSubgraph(handle, index, &graph)
    }
  }

  private func entryPoint(_ index: Int, main: LiteRtSubgraph) throws(ModelError) -> EntryPoint {
    let signature = try unsafe outputHandle("LiteRtGetModelSignature") { signature in
      unsafe functions.pointee.LiteRtGetModelSignature(handle, index, &signature)
    }
    let graph = try unsafe outputHandle("LiteRtGetSignatureSubgraph") { graph in
      unsafe functions.pointee.LiteRtGetSignatureSubgraph(signature, &graph)
    }
    let key = try unsafe outputString("LiteRtGetSignatureKey") { key in
      unsafe functions.pointee.LiteRtGetSignatureKey(signature, &key)
    }
    return unsafe EntryPoint(
      name: key == Self.unnamedSignatureKey ? "main" : key, signatureIndex: index, isMainSubgraph: graph == main,
      inputs: try tensorBindings(
        subgraph: inputs(of: graph), signature: inputs(ofSignature: signature)),
      outputs: try tensorBindings(
        subgraph: outputs(of: graph), signature: outputs(ofSignature: signature)))
  }

  private static let unnamedSignatureKey = "<placeholder signature>"

  /// Pairs the tensors of a graph with the slots at which a signature lists them.
  private func tensorBindings(
    subgraph: [LiteRtTensor], signature: [LiteRtTensor]
  ) throws(ModelError) -> [EntryPoint.TensorBinding] {
    var slots: [UInt32?] = []
    for index in unsafe signature.indices {
      slots.append(try unsafe tensorIndex(of: signature[index]))
    }
    var ports: [EntryPoint.TensorBinding] = []
    for index in unsafe subgraph.indices {
      let number = try unsafe tensorIndex(of: subgraph[index])
      guard let slot = slots.firstIndex(of: number) else { continue }
      slots[slot] = nil  // a tensor may be listed twice, and then has two slots
      ports.append(
        EntryPoint.TensorBinding(info: try unsafe tensorInfo(of: subgraph[index]), tensorIndex: number, slot: slot))
    }
    guard ports.count == slots.count else {
      throw ModelError(
        .runtime, .modelRejected(detail: "its signature lists tensors that its graph does not"))
    }
    return ports
  }
}

// MARK: - Lists

extension LiteRTGraph {
  private func inputs(of graph: LiteRtSubgraph) throws(ModelError) -> [LiteRtTensor] {
    let count = try outputValue("LiteRtGetNumSubgraphInputs", 0) { count in
      unsafe functions.pointee.LiteRtGetNumSubgraphInputs(graph, &count)
    }
    return try unsafe tensors(count, "LiteRtGetSubgraphInput") { index, tensor in
      unsafe functions.pointee.LiteRtGetSubgraphInput(graph, index, &tensor)
    }
  }

  private func outputs(of graph: LiteRtSubgraph) throws(ModelError) -> [LiteRtTensor] {
    let count = try outputValue("LiteRtGetNumSubgraphOutputs", 0) { count in
      unsafe functions.pointee.LiteRtGetNumSubgraphOutputs(graph, &count)
    }
    return try unsafe tensors(count, "LiteRtGetSubgraphOutput") { index, tensor in
      unsafe functions.pointee.LiteRtGetSubgraphOutput(graph, index, &tensor)
    }
  }

  private func inputs(
    ofSignature signature: LiteRtSignature
  ) throws(ModelError) -> [LiteRtTensor] {
    let count = try outputValue("LiteRtGetNumSignatureInputs", 0) { count in
      unsafe functions.pointee.LiteRtGetNumSignatureInputs(signature, &count)
    }
    return try unsafe tensors(count, "LiteRtGetSignatureInputTensorByIndex") { index, tensor in
      unsafe functions.pointee.LiteRtGetSignatureInputTensorByIndex(signature, index, &tensor)
    }
  }

  private func outputs(
    ofSignature signature: LiteRtSignature
  ) throws(ModelError) -> [LiteRtTensor] {
    let count = try outputValue("LiteRtGetNumSignatureOutputs", 0) { count in
      unsafe functions.pointee.LiteRtGetNumSignatureOutputs(signature, &count)
    }
    return try unsafe tensors(count, "LiteRtGetSignatureOutputTensorByIndex") { index, tensor in
      unsafe functions.pointee.LiteRtGetSignatureOutputTensorByIndex(signature, index, &tensor)
    }
  }

  private func tensors(
    _ count: Int, _ function: String, _ call: (Int, inout LiteRtTensor?) -> LiteRtStatus
  ) throws(ModelError) -> [LiteRtTensor] {
    var tensors: [LiteRtTensor] = unsafe []
    for index in 0..<count {
      unsafe tensors.append(
        try outputHandle(function) { tensor in unsafe call(index, &tensor) })
    }
    return unsafe tensors
  }
}
