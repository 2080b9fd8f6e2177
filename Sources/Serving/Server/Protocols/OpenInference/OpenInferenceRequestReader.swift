import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// Reads inference requests of the Open Inference Protocol: JSON, binary tensors after it, or both.
struct OpenInferenceRequestReader {
  private let model: ModelSelector
  private let body: [UInt8]
  /// The number of bytes of the JSON.
  private let headerLength: Int
  private let context: RequestContext

  /// The maximum number of inputs or outputs of a request.
  private static let maxTensorCount = 1024

  /// Creates a reader of a body.
  ///
  /// - Parameters:
  ///   - body: The decompressed body.
  ///   - headerLength: The number of bytes of the JSON; `nil` if the entire body is JSON.
  ///   - model: The model of the request's path.
  ///   - context: The state of the client's request.
  init(_ body: [UInt8], headerLength: Int?, model: ModelSelector, _ context: RequestContext) {
    (self.body, self.model, self.context) = (body, model, context)
    self.headerLength = headerLength ?? body.count
  }

  /// Returns the request.
  func request() throws(ClientError) -> InferenceRequest {
    if headerLength == 0 { return InferenceRequest(model, raw: body) }
    // The binary tensors are copied.
    try context.memory.grow(by: body.count)
    let (skeleton, data) = try InferenceJSONSplitter.split(body, end: headerLength, context)
    let root = try context.json(
      skeleton, invalid: "failed to parse the request JSON buffer"
    ).root
    guard root.kind == .object else { throw Self.invalid("the request is not a JSON object") }
    var request = InferenceRequest(model, inputs: [])
    if let id = root["id"] {
      guard let text = id.string else { throw Self.invalid("'id' must be a string") }
      request.id = text.isEmpty ? nil : text
    }
    request.parameters = try Self.parameters(root["parameters"], of: "the request")
    try Self.checkReserved(request.parameters)
    guard let inputs = root["inputs"]?.elements else {
      throw Self.invalid("the request must have an array 'inputs'")
    }
    var binary = body[min(headerLength, body.count)...]
    for node in inputs {
      guard request.inputs.count < Self.maxTensorCount else {
        throw Self.invalid("too many inputs")
      }
      request.inputs.append(try tensor(node, request.inputs.count, data, &binary))
    }
    guard binary.isEmpty else {
      throw Self.invalid(
        "unexpected additional input data: \(binary.count) bytes follow the last tensor")
    }
    request.outputs = try Self.outputs(
      root["outputs"], isBinary: request.parameters["binary_data_output"])
    return request
  }
}

// MARK: JSON

extension OpenInferenceRequestReader {
  private static func invalid(_ message: String) -> ClientError {
    ClientError(.badRequest, "invalid-request", message)
  }

  private static func parameters(
    _ node: JSONNode?, of owner: String
  ) throws(ClientError) -> [String: InferenceParameter] {
    guard let node else { return [:] }
    guard let members = node.members else {
      throw invalid("'parameters' of \(owner) must be an object")
    }
    var parameters: [String: InferenceParameter] = [:]
    for member in members {
      let value: InferenceParameter? =
        if let text = member.value.string {
          .string(text)
        } else if let flag = member.value.bool {
          .bool(flag)
        } else if let integer = member.value.int {
          .int(integer)
        } else {
          member.value.double.map(InferenceParameter.double)
        }
      parameters[member.name] = value
    }
    try parameters.rejectSharedMemory(of: owner)
    return parameters
  }

  /// Rejects parameters with the prefix that is reserved for servers.
  private static func checkReserved(
    _ parameters: [String: InferenceParameter]
  ) throws(ClientError) {
    guard let name = parameters.keys.filter({ $0.hasPrefix("triton_") }).min() else { return }
    throw invalid(
      "parameter keys starting with 'triton_' are reserved for Triton usage, got '\(name)'")
  }

  private static func outputs(
    _ node: JSONNode?, isBinary: InferenceParameter?
  ) throws(ClientError) -> [RequestedOutput] {
    guard let node, node.kind != .null else { return [] }
    guard let elements = node.elements else { throw invalid("'outputs' must be an array") }
    var outputs: [RequestedOutput] = []
    for element in elements {
      guard outputs.count < maxTensorCount else { throw invalid("too many outputs") }
      guard let name = element["name"]?.string else {
        throw invalid("output \(outputs.count) must be an object with a 'name'")
      }
      let node = element["parameters"]
      let parameters = try parameters(node, of: "output '\(name)'")
      // Parameters that are null, arrays or objects are ignored, but a client that asks for classes expects them.
      if let classes = node?["classification"], parameters["classification"] == nil {
        throw ClientError(
          .badRequest, "invalid-output",
          "output '\(name)': classification must be an integer, found \(classes.summary)")
      }
      outputs.append(RequestedOutput(name, parameters: parameters))
    }
    return outputs
  }
}

// MARK: Tensors

extension OpenInferenceRequestReader {
  private func tensor(
    _ node: JSONNode, _ index: Int, _ data: [InferenceJSONSplitter.Value],
    _ binary: inout ArraySlice<UInt8>
  ) throws(ClientError) -> InferenceTensor {
    guard let name = node["name"]?.string else {
      throw Self.invalid("input \(index) must be an object with a 'name'")
    }
    guard let word = node["datatype"]?.string, let datatype = TensorDatatype(rawValue: word) else {
      let known = TensorDatatype.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalidInput(name, "'datatype' must be one of \(known)")
    }
    let shape = try Self.shape(node["shape"], input: name)
    let parameters = try Self.parameters(node["parameters"], of: "input '\(name)'")
    var tensor: InferenceTensor
    switch (node["data"], parameters["binary_data_size"]) {
    case (.some, .some):
      throw .invalidInput(name, "must not have both 'data' and 'binary_data_size'")
    case (nil, nil):
      guard headerLength < body.count, index == 0, binary.startIndex == headerLength else {
        throw .invalidInput(name, "has neither 'data' nor 'binary_data_size'")
      }
      // The only input may omit the size, which the body determines.
      tensor = try InferenceTensor(name, datatype, shape: shape, binary: binary)
      binary = binary[binary.endIndex...]
    case (nil, let size?):
      guard let size = size.int, size >= 0 else {
        throw .invalidInput(name, "'binary_data_size' must be a non-negative integer")
      }
      guard size <= binary.count else {
        throw .invalidInput(
          name, "binary_data_size is \(size), but \(binary.count) bytes of binary data are left")
      }
      tensor = try InferenceTensor(name, datatype, shape: shape, binary: binary.prefix(size))
      binary = binary.dropFirst(size)
    case (let node?, nil):
      let value: InferenceJSONSplitter.Value? =
        node.int.flatMap { data.indices.contains(Int($0)) ? data[Int($0)] : nil }
      guard let value else { throw .invalidInput(name, "'data' must be an array") }
      let content = try InferenceJSONData(body, value, context).content(
        datatype, shape: shape, input: name)
      tensor = InferenceTensor(name, datatype, shape: shape, content)
    }
    tensor.parameters = parameters
    return tensor
  }

  private static func shape(_ node: JSONNode?, input name: String) throws(ClientError) -> [Int] {
    guard let elements = node?.elements else {
      throw .invalidInput(name, "'shape' must be an array of integers")
    }
    var shape: [Int] = []
    for element in elements {
      guard let length = element.int, length >= 0, shape.count < 32 else {
        throw .invalidInput(name, "'shape' must be an array of non-negative integers")
      }
      shape.append(Int(length))
    }
    return shape
  }
}
