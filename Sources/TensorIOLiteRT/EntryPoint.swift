import TensorIOBundle
import TensorIOCore

/// One way to run a model: its tensors in the order of the graph, each with the slot at which the
/// runtime's signature expects it.
struct EntryPoint: Sendable {
  struct TensorBinding: Sendable {
    let info: TensorInfo
    /// The tensor's number in its graph; ports with equal numbers share one memory.
    let tensorIndex: UInt32
    /// Its place in the runtime's lists.
    let slot: Int
  }

  let name: String
  /// The signature's place in the model.
  let signatureIndex: Int
  /// Whether it runs the graph that a file without signatures would have.
  let isMainSubgraph: Bool
  let inputs: [TensorBinding]
  let outputs: [TensorBinding]

  var signature: ModelSignature {
    ModelSignature(name: name, inputs: inputs.map(\.info), outputs: outputs.map(\.info))
  }

  /// Whether the file tells the shapes of the outputs.
  ///
  /// Operators such as the post-processing of detectors leave them out, which reads as "no axes".
  var hasDeclaredOutputShapes: Bool {
    outputs.allSatisfy { !$0.info.shape.dimensions.isEmpty }
  }

  func signature(withOutputShapes shapes: [[Int]]) -> ModelSignature {
    let known = zip(outputs, shapes).map { port, shape in
      port.info.shape.dimensions.isEmpty ? port.info.withShape(TensorShape(signedDimensions: shape)) : port.info
    }
    return ModelSignature(name: name, inputs: inputs.map(\.info), outputs: known)
  }

  /// An input of strings gets new memory with new values, so no output can share it.
  func requireUnaliasedStringInputs() throws(ModelError) {
    for port in inputs where port.info.elementType == .string {
      guard outputs.contains(where: { $0.tensorIndex == port.tensorIndex }) else { continue }
      let problem = "an input of strings that is an output as well: \(port.info.name)"
      throw ModelError(.runtime, .unsupported(problem))
    }
  }

  func requireResizable(to shapes: [[Int]]) throws(ModelError) {
    guard shapes.count == inputs.count else {
      throw ModelError(.input, .inputCount(expected: inputs.count, actual: shapes.count))
    }
    for (port, shape) in zip(inputs, shapes) where !port.info.shape.accepts(shape) {
      let wanted = TensorShape(signedDimensions: shape)
      throw ModelError(
        .input,
        .unsupported("the shape of \(port.info.name) is \(port.info.shape) and cannot be \(wanted)")
      )
    }
  }
}

extension TensorInfo {
  fileprivate func withShape(_ shape: TensorShape) -> TensorInfo {
    TensorInfo(name: name, elementType: elementType, shape: shape, quantization: quantization)
  }
}

extension TensorShape {
  /// Whether a tensor of this shape can take the given lengths.
  func accepts(_ lengths: [Int]) -> Bool {
    lengths.count == dimensions.count
      && zip(dimensions, lengths).allSatisfy { axis, length in length > 0 && (axis ?? length) == length }
  }
}
