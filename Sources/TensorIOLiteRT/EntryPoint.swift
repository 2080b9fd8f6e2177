internal import TensorIOCore

/// One way to run a model: its tensors in the order of the graph, each with the slot at which the
/// runtime's signature expects it.
struct EntryPoint: Sendable {
  struct Port: Sendable {
    let info: TensorInfo
    /// The tensor's number in its graph; ports with equal numbers share one memory.
    let tensor: UInt32
    /// Its place in the runtime's lists.
    let slot: Int
  }

  let name: String
  /// The signature's place in the model.
  let index: Int
  /// Whether it runs the graph that a file without signatures would have.
  let isMain: Bool
  let inputs: [Port]
  let outputs: [Port]

  var signature: ModelSignature {
    ModelSignature(name: name, inputs: inputs.map(\.info), outputs: outputs.map(\.info))
  }

  /// Whether the file tells the shapes of the outputs.
  ///
  /// Operators such as the post-processing of detectors leave them out, which reads as "no axes".
  var declaresItsOutputs: Bool {
    outputs.allSatisfy { !$0.info.shape.axes.isEmpty }
  }

  func signature(withOutputShapes shapes: [[Int]]) -> ModelSignature {
    let known = zip(outputs, shapes).map { port, shape in
      port.info.shape.axes.isEmpty ? port.info.with(TensorShape(signed: shape)) : port.info
    }
    return ModelSignature(name: name, inputs: inputs.map(\.info), outputs: known)
  }

  /// An input of strings gets new memory with new values, so no output can share it.
  func requireSeparateStrings() throws(ModelError) {
    for port in inputs where port.info.elementType == .string {
      guard outputs.contains(where: { $0.tensor == port.tensor }) else { continue }
      let problem = "an input of strings that is an output as well: \(port.info.name)"
      throw ModelError(.runtime, .unsupported(problem))
    }
  }

  func requireResizable(to shapes: [[Int]]) throws(ModelError) {
    guard shapes.count == inputs.count else {
      throw ModelError(.input, .inputCount(expected: inputs.count, actual: shapes.count))
    }
    for (port, shape) in zip(inputs, shapes) where !port.info.shape.admits(shape) {
      let wanted = TensorShape(signed: shape)
      throw ModelError(
        .input,
        .unsupported("the shape of \(port.info.name) is \(port.info.shape) and cannot be \(wanted)")
      )
    }
  }
}

extension TensorInfo {
  fileprivate func with(_ shape: TensorShape) -> TensorInfo {
    TensorInfo(name: name, elementType: elementType, shape: shape, quantization: quantization)
  }
}

extension TensorShape {
  /// Whether a tensor of this shape can take the given lengths.
  func admits(_ lengths: [Int]) -> Bool {
    lengths.count == axes.count
      && zip(axes, lengths).allSatisfy { axis, length in length > 0 && (axis ?? length) == length }
  }
}
