import CLiteRT
import TensorIOBundle
import TensorIOCore

extension LiteRTGraph {
  /// Returns the signatures of the model.
  ///
  /// For a model without signatures LiteRT synthesizes one for the main subgraph, which is named
  /// `main` here.
  func entryPoints() throws(ModelError) -> [EntryPoint] {
    let count = try outputValue("LiteRtGetNumModelSignatures", 0) { count in
      unsafe functions.pointee.LiteRtGetNumModelSignatures(handle, &count)
    }
    let main = try unsafe mainSubgraph()
    var entryPoints: [EntryPoint] = []
    for index in 0..<count {
      entryPoints.append(try unsafe entryPoint(index, main: main))
    }
    return entryPoints
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
    let isUnnamed = key == Self.unnamedSignatureKey
    let subgraphIndex = subgraphIndex(ofSignature: index)
    let isSpecialized = operatorWithUnknownShape(inSubgraph: subgraphIndex) != nil
    let adjusted = { (bindings: [EntryPoint.TensorBinding]) in
      isSpecialized ? bindings.map(\.withSingleItem) : bindings
    }
    return unsafe EntryPoint(
      name: isUnnamed ? "main" : key, signatureIndex: index, subgraphIndex: subgraphIndex,
      isMainSubgraph: graph == main, isSpecialized: isSpecialized,
      inputs: adjusted(
        try tensorBindings(
          subgraphIndex, inputs(of: graph), signature: inputs(ofSignature: signature),
          key: { index throws(ModelError) in
            try isUnnamed ? nil : unsafe inputName(index, ofSignature: signature)
          })),
      outputs: adjusted(
        try tensorBindings(
          subgraphIndex, outputs(of: graph), signature: outputs(ofSignature: signature),
          key: { index throws(ModelError) in
            try isUnnamed ? nil : unsafe outputName(index, ofSignature: signature)
          })))
  }

  private static let unnamedSignatureKey = "<placeholder signature>"

  /// Pairs the tensors of a subgraph with their positions in a signature.
  private func tensorBindings(
    _ subgraphIndex: Int, _ subgraph: [LiteRtTensor], signature: [LiteRtTensor],
    key: (Int) throws(ModelError) -> String?
  ) throws(ModelError) -> [EntryPoint.TensorBinding] {
    var slots: [UInt32?] = []
    for index in unsafe signature.indices {
      slots.append(try unsafe tensorIndex(of: signature[index]))
    }
    var bindings: [EntryPoint.TensorBinding] = []
    for index in unsafe subgraph.indices {
      let tensorIndex = try unsafe tensorIndex(of: subgraph[index])
      guard let slot = slots.firstIndex(of: tensorIndex) else { continue }
      slots[slot] = nil  // a tensor that is listed twice has two slots
      let info = try unsafe tensorInfo(of: subgraph[index])
      let shape = declaredShape(of: tensorIndex, inSubgraph: subgraphIndex) ?? info.shape
      bindings.append(
        EntryPoint.TensorBinding(
          info: try info.withShape(shape).withSignatureKey(key(slot)),
          tensorIndex: tensorIndex, slot: slot))
    }
    guard bindings.count == slots.count else {
      throw ModelError(
        .runtime, .modelRejected(detail: "a signature lists tensors outside its subgraph"))
    }
    return bindings
  }
}

// MARK: - Tensor lists

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

// MARK: - Names in signatures

extension LiteRTGraph {
  private func inputName(
    _ index: Int, ofSignature signature: LiteRtSignature
  ) throws(ModelError) -> String {
    try unsafe outputString("LiteRtGetSignatureInputName") { name in
      unsafe functions.pointee.LiteRtGetSignatureInputName(signature, index, &name)
    }
  }

  private func outputName(
    _ index: Int, ofSignature signature: LiteRtSignature
  ) throws(ModelError) -> String {
    try unsafe outputString("LiteRtGetSignatureOutputName") { name in
      unsafe functions.pointee.LiteRtGetSignatureOutputName(signature, index, &name)
    }
  }
}

extension EntryPoint.TensorBinding {
  /// The binding of a tensor for one item.
  fileprivate var withSingleItem: Self {
    Self(info: info.withShape(info.shape.withSingleItem), tensorIndex: tensorIndex, slot: slot)
  }
}

extension TensorInfo {
  fileprivate func withSignatureKey(_ key: String?) -> TensorInfo {
    TensorInfo(
      name: name, elementType: elementType, shape: shape, quantization: quantization,
      signatureKey: key == name ? nil : key)
  }
}
