import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// Reads prediction requests in rows, `{"instances": […]}`, and columns, `{"inputs": …}`, as
/// TensorFlow Serving, KServe, Vertex AI and MLflow define them.
struct PredictRequestReader {
  /// The layout of a request, which its response has too.
  enum Layout: Sendable {
    case rows, columns
  }

  private let model: ModelSelector
  private let metadata: InferenceModelMetadata

  /// Creates a reader for a model.
  init(_ model: ModelSelector, _ metadata: InferenceModelMetadata) {
    (self.model, self.metadata) = (model, metadata)
  }

  /// Returns the request in a JSON object.
  func request(_ root: JSONNode) throws(ClientError) -> (InferenceRequest, Layout) {
    switch (root["instances"], root["inputs"]) {
    case (.some, .some):
      throw Self.invalid(
        "Not formatted correctly. Only one of 'inputs' and 'instances' keys is allowed.")
    case (nil, nil): throw Self.invalid("Missing 'inputs' or 'instances' key")
    case (let instances?, nil): return (try rows(instances), .rows)
    case (nil, let inputs?): return (try columns(inputs), .columns)
    }
  }

  private static func invalid(_ message: String) -> ClientError {
    ClientError(.badRequest, "invalid-request", message)
  }

  /// Returns the request of a list of instances.
  ///
  /// - Parameters:
  ///   - node: The list.
  ///   - flat: Whether unnamed instances are flat lists, whatever the shape of the input.
  /// - Returns: The request.
  /// - Throws: A ``ClientError`` if instances are missing, or have other inputs than the model.
  func rows(_ node: JSONNode, flat: Bool = false) throws(ClientError) -> InferenceRequest {
    if node.kind == .array { try requireItemCount(node.count, metadata.inputs.first?.name) }
    guard let instances = node.elements.map(Array.init) else {
      throw Self.invalid("Expected 'instances' to be a list, found \(node.summary)")
    }
    guard !instances.isEmpty else { throw Self.invalid("'instances' must not be empty") }
    let isNamed = instances[0].kind == .object && instances[0]["b64"] == nil
    guard isNamed else { return try unnamedRows(instances, flat) }
    var inputs: [InferenceTensor] = []
    for input in metadata.inputs {
      var values: [JSONNode] = []
      for (index, instance) in instances.enumerated() {
        guard let value = instance[input.name] else {
          throw .invalidInput(input.name, "is missing in instance \(index)")
        }
        guard instance.count == metadata.inputs.count else {
          throw Self.invalid(
            "instance \(index) has \(instance.count) keys; expected \(metadata.inputNames)")
        }
        values.append(value)
      }
      inputs.append(try JSONTensorReader(input: input).tensor(values, isBatch: true))
    }
    return request(inputs)
  }

  private func unnamedRows(
    _ instances: [JSONNode], _ flat: Bool
  ) throws(ClientError) -> InferenceRequest {
    guard let input = metadata.inputs.first, metadata.inputs.count == 1 else {
      throw Self.invalid(
        "the model has \(metadata.inputs.count) inputs; expected objects with \(metadata.inputNames)"
      )
    }
    var tensor = try JSONTensorReader(input: input).tensor(instances, isBatch: true)
    if flat { tensor = tensor.filling(input) }
    return request([tensor])
  }

  /// Returns the request of the tensors of all inputs.
  func columns(_ node: JSONNode) throws(ClientError) -> InferenceRequest {
    guard node.kind == .object, node["b64"] == nil else {
      guard let input = metadata.inputs.first, metadata.inputs.count == 1 else {
        throw Self.invalid(
          "the model has \(metadata.inputs.count) inputs; expected an object with "
            + metadata.inputNames)
      }
      return request([try column(node, input)])
    }
    var inputs: [InferenceTensor] = []
    for input in metadata.inputs {
      guard let value = node[input.name] else {
        throw Self.invalid("Missing named input: \(input.name) in 'inputs' object.")
      }
      inputs.append(try column(value, input))
    }
    return request(inputs)
  }

  /// Returns the values of an input for all items.
  private func column(
    _ node: JSONNode, _ input: InferenceModelMetadata.TensorMetadata
  ) throws(ClientError) -> InferenceTensor {
    if node.kind == .array { try requireItemCount(node.count, input.name) }
    return try JSONTensorReader(input: input).tensor([node], isBatch: false)
  }

  private func requireItemCount(_ count: Int, _ input: String?) throws(ClientError) {
    guard metadata.hasBatchAxis else { return }
    try InferenceInputs.requireItemCount(
      count, atMost: metadata.maxBatchSize, input: input ?? "")
  }

  /// Returns the request of tensors whose first axis is the batch, which the model may not have.
  func request(_ inputs: [InferenceTensor]) -> InferenceRequest {
    InferenceRequest(
      ModelSelector(metadata.name, version: metadata.version),
      inputs: metadata.hasBatchAxis ? inputs : inputs.map(\.withoutBatchAxis))
  }
}

extension InferenceModelMetadata {
  /// Whether requests can have several items.
  var hasBatchAxis: Bool { maxBatchSize > 0 }

  /// The names of the inputs, for messages.
  var inputNames: String { inputs.map { "'\($0.name)'" }.joined(separator: ", ") }

  /// Returns the names that the bundle declares for the values of an input; empty without any.
  func featureNames(of input: String) -> [String] {
    let layer = bundle?.description.inputs.first { $0.name == input }
    guard case .array(let numeric) = layer?.kind else { return [] }
    return numeric.featureNames
  }
}

extension InferenceTensor {
  /// Returns the tensor in the shape of an input, if it has as many elements.
  func filling(_ input: InferenceModelMetadata.TensorMetadata) -> InferenceTensor {
    let target = [shape.first ?? 1] + input.shape.dropFirst(input.hasBatchAxis ? 1 : 0)
    guard target.allSatisfy({ $0 >= 0 }), target.checkedProduct == count else { return self }
    var tensor = self
    tensor.shape = target
    if case .tensor(let elements) = content, let reshaped = try? elements.reshaped(target) {
      tensor.content = .tensor(reshaped)
    }
    return tensor
  }

  /// The tensor without a first axis of length 1, for a model whose tensors have no batch axis.
  fileprivate var withoutBatchAxis: InferenceTensor {
    guard shape.first == 1, shape.count > 1 else { return self }
    var tensor = self
    tensor.shape = Array(shape.dropFirst())
    if case .tensor(let elements) = content, let reshaped = try? elements.reshaped(tensor.shape) {
      tensor.content = .tensor(reshaped)
    }
    return tensor
  }
}
