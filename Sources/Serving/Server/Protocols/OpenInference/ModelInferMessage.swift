import TensorIOBundle
import TensorIOCore

/// Reads a `ModelInferRequest`.
struct ModelInferMessage {
  private static let name = "ModelInferRequest"
  /// The maximum number of inputs or outputs of a request.
  private static let maxTensorCount = 1024

  private var request = InferenceRequest(ModelSelector(""), inputs: [])
  private var tensors: [InputTensor] = []
  private var rawContents: [ProtobufMessage] = []
  private let context: RequestContext

  /// An input before its elements are read.
  private struct InputTensor {
    var name = ""
    var datatype = ""
    var shape: [Int] = []
    var parameters: [String: InferenceParameter] = [:]
    var contents: [ProtobufMessage] = []
    /// The memory that the elements in the contents take at most.
    var maxContentBytes = 0
  }

  private init(_ context: RequestContext) { self.context = context }

  /// Returns the request in a message.
  ///
  /// - Throws: A ``ClientError`` that names the input and states what was expected.
  static func request(
    _ bytes: [UInt8], _ context: RequestContext
  ) throws(ClientError) -> InferenceRequest {
    var message = ModelInferMessage(context)
    try mappingErrors { () throws(ProtobufError) in try message.read(ProtobufMessage(bytes)) }
    return try message.completed()
  }

  private static func mappingErrors<Value>(
    _ read: () throws(ProtobufError) -> Value
  ) throws(ClientError) -> Value {
    do throws(ProtobufError) {
      return try read()
    } catch {
      throw ClientError(error, in: name)
    }
  }

  private mutating func read(_ message: ProtobufMessage) throws(ProtobufError) {
    var copy = self
    try message.forEachField { (number, value) throws(ProtobufError) in
      switch number {
      case 1: copy.request.model.name = try value.string()
      case 2:
        let version = try value.string()
        copy.request.model.version = version.isEmpty ? nil : version
      case 3:
        let id = try value.string()
        copy.request.id = id.isEmpty ? nil : id
      case 4: try Self.addParameter(value, to: &copy.request.parameters)
      case 5:
        guard copy.tensors.count < Self.maxTensorCount else { throw .tooManyEntries }
        copy.tensors.append(try Self.tensor(value.message()))
      case 6:
        guard copy.request.outputs.count < Self.maxTensorCount else { throw .tooManyEntries }
        copy.request.outputs.append(try Self.output(value.message()))
      case 7:
        guard copy.rawContents.count < Self.maxTensorCount else { throw .tooManyEntries }
        copy.rawContents.append(try value.message())
      default: break
      }
    }
    self = copy
  }

  private static func tensor(_ message: ProtobufMessage) throws(ProtobufError) -> InputTensor {
    var tensor = InputTensor()
    try message.forEachField { (number, value) throws(ProtobufError) in
      switch number {
      case 1: tensor.name = try value.string()
      case 2: tensor.datatype = try value.string()
      case 3:
        tensor.shape += try ProtobufMessage.dimensions(value)
        guard tensor.shape.count <= ProtobufMessage.maxDimensionCount else { throw .tooManyEntries }
      case 4: try addParameter(value, to: &tensor.parameters)
      case 5:
        guard tensor.contents.count < maxTensorCount else { throw .tooManyEntries }
        let contents = try value.message()
        tensor.maxContentBytes += try InferTensorContents.maxByteCount(contents)
        tensor.contents.append(contents)
      default: break
      }
    }
    return tensor
  }

  private static func output(_ message: ProtobufMessage) throws(ProtobufError) -> RequestedOutput {
    var output = RequestedOutput("")
    try message.forEachField { (number, value) throws(ProtobufError) in
      switch number {
      case 1: output.name = try value.string()
      case 2: try addParameter(value, to: &output.parameters)
      default: break
      }
    }
    return output
  }

  private static func addParameter(
    _ value: ProtobufValue, to parameters: inout [String: InferenceParameter]
  ) throws(ProtobufError) {
    guard parameters.count < ProtobufMessage.maxEntryCount else { throw .tooManyEntries }
    let (name, message) = try value.message().mapEntry()
    var parameter: InferenceParameter?
    try message.forEachField { (number, value) throws(ProtobufError) in
      switch number {
      case 1: parameter = .bool(try value.integer() != 0)
      case 2, 5: parameter = .int(Int64(try value.integer()))
      case 3: parameter = .string(try value.string())
      case 4:
        guard case .fixedWidth(let bytes) = value, bytes.count == 8 else {
          throw .unexpectedWireType
        }
        parameter = .double(Double(bitPattern: bytes.littleEndian))
      default: break
      }
    }
    parameters[name] = parameter
  }
}

// MARK: Inputs

extension ModelInferMessage {
  private func completed() throws(ClientError) -> InferenceRequest {
    var request = request
    guard !request.model.name.isEmpty else {
      throw ClientError(.badRequest, "invalid-request", "the request has no 'model_name'")
    }
    let reserved = request.parameters.keys.filter {
      $0.hasPrefix("triton_") && $0 != Self.finalResponseParameter
    }
    if let name = reserved.min() {
      throw ClientError(
        .badRequest, "invalid-request",
        "parameter keys starting with 'triton_' are reserved for Triton usage, got '\(name)'")
    }
    try request.parameters.rejectSharedMemory(of: "the request")
    for tensor in tensors { try tensor.parameters.rejectSharedMemory(of: "input '\(tensor.name)'") }
    for output in request.outputs {
      try output.parameters.rejectSharedMemory(of: "output '\(output.name)'")
    }
    guard rawContents.isEmpty || rawContents.count == tensors.count else {
      throw ClientError(
        .badRequest, "invalid-request",
        "the request has \(tensors.count) inputs, but \(rawContents.count) raw_input_contents")
    }
    for (index, tensor) in tensors.enumerated() {
      let raw = rawContents.isEmpty ? nil : rawContents[index]
      request.inputs.append(try input(tensor, index, raw: raw))
    }
    return request
  }

  /// The parameter that asks for a mark on the last response to a request.
  static let finalResponseParameter = "triton_enable_empty_final_response"

  private func input(
    _ tensor: InputTensor, _ index: Int, raw: ProtobufMessage?
  ) throws(ClientError) -> InferenceTensor {
    guard !tensor.name.isEmpty else {
      throw ClientError(.badRequest, "invalid-request", "input \(index) has no name")
    }
    guard let datatype = TensorDatatype(rawValue: tensor.datatype) else {
      let known = TensorDatatype.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalidInput(
        tensor.name, "'datatype' must be one of \(known), got '\(tensor.datatype)'")
    }
    let contents = try contents(of: tensor)
    if let raw {
      guard contents.isEmpty else {
        throw .invalidInput(tensor.name, "must not have both contents and raw_input_contents")
      }
      try context.memory.grow(by: raw.count)
      return try InferenceTensor(
        tensor.name, datatype, shape: tensor.shape, binary: raw.contents)
    }
    let content = try contents.content(datatype, input: tensor.name)
    return InferenceTensor(tensor.name, datatype, shape: tensor.shape, content)
  }

  /// Returns the elements in typed fields.
  private func contents(of tensor: InputTensor) throws(ClientError) -> InferTensorContents {
    var contents = InferTensorContents()
    try context.memory.grow(by: tensor.maxContentBytes)
    for message in tensor.contents {
      try context.checkCancellation()
      try Self.mappingErrors { () throws(ProtobufError) in try contents.add(message) }
    }
    return contents
  }
}

extension ProtobufMessage {
  /// The integer in up to eight bytes.
  var littleEndian: UInt64 { contents.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}
