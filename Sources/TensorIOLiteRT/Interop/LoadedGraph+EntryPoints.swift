internal import CLiteRT
internal import TensorIOCore

extension LoadedGraph {
  /// Every way to run the model.
  ///
  /// LiteRT gives a model without signatures one that lists the whole graph; here it is `main`.
  func entryPoints() throws(ModelError) -> [EntryPoint] {
    let count = try answer("LiteRtGetNumModelSignatures", 0) { count in
      unsafe functions.pointee.LiteRtGetNumModelSignatures(handle, &count)
    }
    let main = try unsafe mainGraph()
    var entries: [EntryPoint] = []
    for index in 0..<count {
      entries.append(try unsafe entryPoint(index, main: main))
    }
    return entries
  }

  private func mainGraph() throws(ModelError) -> LiteRtSubgraph {
    let index = try answer("LiteRtGetMainModelSubgraphIndex", 0) { index in
      unsafe functions.pointee.LiteRtGetMainModelSubgraphIndex(handle, &index)
    }
    return try unsafe reference("LiteRtGetModelSubgraph") { graph in
      unsafe functions.pointee.LiteRtGetModelSubgraph(handle, index, &graph)
    }
  }

  private func entryPoint(_ index: Int, main: LiteRtSubgraph) throws(ModelError) -> EntryPoint {
    let signature = try unsafe reference("LiteRtGetModelSignature") { signature in
      unsafe functions.pointee.LiteRtGetModelSignature(handle, index, &signature)
    }
    let graph = try unsafe reference("LiteRtGetSignatureSubgraph") { graph in
      unsafe functions.pointee.LiteRtGetSignatureSubgraph(signature, &graph)
    }
    let key = try unsafe text("LiteRtGetSignatureKey") { key in
      unsafe functions.pointee.LiteRtGetSignatureKey(signature, &key)
    }
    return unsafe EntryPoint(
      name: key == Self.placeholder ? "main" : key, index: index, isMain: graph == main,
      inputs: try ports(
        graph: inputs(of: graph), signature: inputs(ofSignature: signature)),
      outputs: try ports(
        graph: outputs(of: graph), signature: outputs(ofSignature: signature)))
  }

  private static let placeholder = "<placeholder signature>"

  /// Pairs the tensors of a graph with the slots at which a signature lists them.
  private func ports(
    graph: [LiteRtTensor], signature: [LiteRtTensor]
  ) throws(ModelError) -> [EntryPoint.Port] {
    var slots: [UInt32?] = []
    for index in unsafe signature.indices {
      slots.append(try unsafe number(of: signature[index]))
    }
    var ports: [EntryPoint.Port] = []
    for index in unsafe graph.indices {
      let number = try unsafe number(of: graph[index])
      guard let slot = slots.firstIndex(of: number) else { continue }
      slots[slot] = nil  // a tensor may be listed twice, and then has two slots
      ports.append(
        EntryPoint.Port(info: try unsafe info(of: graph[index]), tensor: number, slot: slot))
    }
    guard ports.count == slots.count else {
      throw ModelError(
        .runtime, .modelRefused(problem: "its signature lists tensors that its graph does not"))
    }
    return ports
  }
}

// MARK: - Lists

extension LoadedGraph {
  private func inputs(of graph: LiteRtSubgraph) throws(ModelError) -> [LiteRtTensor] {
    let count = try answer("LiteRtGetNumSubgraphInputs", 0) { count in
      unsafe functions.pointee.LiteRtGetNumSubgraphInputs(graph, &count)
    }
    return try unsafe list(count, "LiteRtGetSubgraphInput") { index, tensor in
      unsafe functions.pointee.LiteRtGetSubgraphInput(graph, index, &tensor)
    }
  }

  private func outputs(of graph: LiteRtSubgraph) throws(ModelError) -> [LiteRtTensor] {
    let count = try answer("LiteRtGetNumSubgraphOutputs", 0) { count in
      unsafe functions.pointee.LiteRtGetNumSubgraphOutputs(graph, &count)
    }
    return try unsafe list(count, "LiteRtGetSubgraphOutput") { index, tensor in
      unsafe functions.pointee.LiteRtGetSubgraphOutput(graph, index, &tensor)
    }
  }

  private func inputs(
    ofSignature signature: LiteRtSignature
  ) throws(ModelError) -> [LiteRtTensor] {
    let count = try answer("LiteRtGetNumSignatureInputs", 0) { count in
      unsafe functions.pointee.LiteRtGetNumSignatureInputs(signature, &count)
    }
    return try unsafe list(count, "LiteRtGetSignatureInputTensorByIndex") { index, tensor in
      unsafe functions.pointee.LiteRtGetSignatureInputTensorByIndex(signature, index, &tensor)
    }
  }

  private func outputs(
    ofSignature signature: LiteRtSignature
  ) throws(ModelError) -> [LiteRtTensor] {
    let count = try answer("LiteRtGetNumSignatureOutputs", 0) { count in
      unsafe functions.pointee.LiteRtGetNumSignatureOutputs(signature, &count)
    }
    return try unsafe list(count, "LiteRtGetSignatureOutputTensorByIndex") { index, tensor in
      unsafe functions.pointee.LiteRtGetSignatureOutputTensorByIndex(signature, index, &tensor)
    }
  }

  private func list(
    _ count: Int, _ function: String, _ call: (Int, inout LiteRtTensor?) -> LiteRtStatus
  ) throws(ModelError) -> [LiteRtTensor] {
    var tensors: [LiteRtTensor] = unsafe []
    for index in 0..<count {
      unsafe tensors.append(
        try reference(function) { tensor in unsafe call(index, &tensor) })
    }
    return unsafe tensors
  }
}
