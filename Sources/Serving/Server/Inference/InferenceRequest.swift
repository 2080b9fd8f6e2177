/// A request to run a model on named tensors, independent of the protocol.
package struct InferenceRequest: Sendable {
  /// The model.
  package var model: ModelSelector
  /// The client's identifier, which the response repeats.
  package var id: String?
  /// The parameters of the request.
  package var parameters: [String: InferenceParameter] = [:]
  /// The inputs.
  package var inputs: [InferenceTensor]
  /// The outputs to return; empty for all.
  package var outputs: [RequestedOutput]
  /// Whether the only input has neither name nor shape, which the model determines.
  package var isRaw = false

  /// Creates a request.
  package init(
    _ model: ModelSelector, id: String? = nil, inputs: [InferenceTensor],
    outputs: [RequestedOutput] = []
  ) {
    (self.model, self.id, self.inputs, self.outputs) = (model, id, inputs, outputs)
  }

  /// Creates a request whose bytes are the only input of the model.
  package init(_ model: ModelSelector, raw bytes: [UInt8]) {
    self.init(model, inputs: [InferenceTensor("", .bytes, shape: [1], .strings([bytes]))])
    isRaw = true
  }
}

/// An output that a client requests.
package struct RequestedOutput: Sendable {
  /// The name of the output.
  package var name: String
  /// The parameters of the output.
  package var parameters: [String: InferenceParameter]

  /// Creates a requested output.
  package init(_ name: String, parameters: [String: InferenceParameter] = [:]) {
    (self.name, self.parameters) = (name, parameters)
  }

  /// The number of classes to return instead of the scores; `nil` for the scores.
  package var classCount: Int? {
    guard let count = parameters["classification"]?.int, count > 0 else { return nil }
    return count
  }
}
