import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// `PredictionService` and `ModelService` of TensorFlow Serving.
struct TensorFlowServingGRPC: Sendable {
  let service: InferenceService

  private static let predictionName = "tensorflow.serving.PredictionService"
  private static let modelName = "tensorflow.serving.ModelService"

  /// The services with all methods.
  var grpcServices: [GRPCService] {
    [
      GRPCService(
        name: Self.predictionName,
        methods: [
          method(
            Self.predictionName, "Predict",
            rejection: { [service] in service.rejection($0) }, predict),
          method(Self.predictionName, "GetModelMetadata", .control) {
            (request) async throws(ClientError) in
            try await metadata(request)
          },
          method(
            Self.predictionName, "Classify",
            rejection: { [service] in service.rejection($0) }
          ) { (request) async throws(ClientError) in try await examples(request, .classify) },
          method(
            Self.predictionName, "Regress",
            rejection: { [service] in service.rejection($0) }
          ) { (request) async throws(ClientError) in try await examples(request, .regress) },
          method(
            Self.predictionName, "MultiInference", model: { ProtobufMessage($0).firstTaskSpec },
            rejection: { [service] in service.rejection($0) }, multipleInference),
        ]),
      GRPCService(
        name: Self.modelName,
        methods: [
          method(Self.modelName, "GetModelStatus", .control) { (request) throws(ClientError) in
            try status(request)
          }
        ]),
    ]
  }

  private func method(
    _ serviceName: String, _ name: String, _ execution: Route.Execution = .queued,
    model: @escaping @Sendable ([UInt8]) -> ModelSelector? = { ProtobufMessage($0).servingSpec },
    rejection: (@Sendable (ModelSelector) -> ClientError?)? = nil,
    _ handler: @escaping GRPCMethod.Handler
  ) -> GRPCMethod {
    GRPCMethod(
      serviceName, name, .unary, execution, model: model, rejection: rejection, handler)
  }
}

// MARK: Methods

extension TensorFlowServingGRPC {
  private func predict(_ request: GRPCRequest) async throws(ClientError) -> HTTPResponse {
    let type = "PredictRequest"
    let message = ProtobufMessage(request.message)
    let selector = try service.servable(Self.selector(message, type))
    var inputs: [InferenceTensor] = []
    for (name, tensor) in try message.entries(2, of: type).sorted(by: { $0.key < $1.key }) {
      inputs.append(try TensorFlowTensor.tensor(tensor, name, request.context))
    }
    var outputs: [RequestedOutput] = []
    do throws(ProtobufError) {
      try message.forEachField { (number, value) throws(ProtobufError) in
        guard outputs.count < ProtobufMessage.maxEntryCount else { throw .tooManyEntries }
        if number == 3 { outputs.append(RequestedOutput(try value.string())) }
      }
    } catch {
      throw ClientError(error, in: type)
    }
    let inference = InferenceRequest(selector, inputs: inputs, outputs: outputs)
    let response = try await service.infer(inference, request.context, as: .binary)
    return .message(
      Self.response(
        response,
        version: service.number(ofVersion: response.modelVersion, of: response.modelName)))
  }

  private static func response(_ response: InferenceResponse, version: String) -> [UInt8] {
    var writer = ProtobufWriter()
    for output in response.outputs {
      writer.message(1) { writer in
        writer.string(1, output.name)
        writer.message(2) { TensorFlowTensor.write(output, to: &$0) }
      }
    }
    writer.message(2) { write(response.modelName, version: version, to: &$0) }
    return writer.bytes
  }

  /// Writes a `ModelSpec`.
  static func write(
    _ name: String, version: String, to writer: inout ProtobufWriter
  ) {
    writer.string(1, name)
    if let number = UInt64(version) { writer.message(2) { $0.varint(1, number) } }
    writer.string(3, InferenceModelMetadata.servingSignature)
  }

  private func metadata(_ request: GRPCRequest) async throws(ClientError) -> HTTPResponse {
    let type = "GetModelMetadataRequest"
    let message = ProtobufMessage(request.message)
    let selector = try service.servable(Self.selector(message, type))
    let fields = try ProtobufFields(message, of: type)
    let field = try fields.string(2, of: type)
    guard field == "signature_def" else {
      throw ClientError(
        .badRequest, "invalid-request",
        "Metadata field \(field.isEmpty ? "is missing" : "'\(field)' is not supported")")
    }
    let metadata = try await service.modelMetadata(selector)
    let version = service.number(ofVersion: metadata.version, of: metadata.name)
    var writer = ProtobufWriter()
    writer.message(1) { Self.write(metadata.name, version: version, to: &$0) }
    writer.message(2) { writer in
      writer.string(1, field)
      writer.message(2) { writer in
        writer.string(1, "type.googleapis.com/tensorflow.serving.SignatureDefMap")
        writer.message(2) { metadata.writeSignature(to: &$0) }
      }
    }
    return .message(writer.bytes)
  }

  private func status(_ request: GRPCRequest) throws(ClientError) -> HTTPResponse {
    let type = "GetModelStatusRequest"
    let selector = try service.servable(
      Self.selector(ProtobufMessage(request.message), type))
    do throws(ProtobufConversionError) {
      let message = try ProtobufSchema.standard.message(
        "tensorflow.serving.GetModelStatusResponse",
        members: { service.writeVersionStatuses(of: selector, to: &$0) })
      return .message(message)
    } catch {
      throw ClientError(error)
    }
  }

  /// Returns the model of a request's `ModelSpec`.
  static func selector(
    _ message: ProtobufMessage, _ type: String
  ) throws(ClientError) -> ModelSelector {
    let fields = try ProtobufFields(message, of: type)
    guard let spec = try? fields[1]?.message(), let selector = spec.servingModel() else {
      throw ClientError(.badRequest, "invalid-request", "Missing ModelSpec")
    }
    let signature = try ProtobufFields(spec, of: "ModelSpec").string(3, of: "ModelSpec")
    guard InferenceModelMetadata.servingSignatures.contains(signature) else {
      throw ClientError(
        .badRequest, "invalid-request",
        "Serving signature name: \"\(signature)\" not found in signature def")
    }
    return selector
  }
}

extension InferenceModelMetadata {
  /// Writes the inputs and outputs as a `SignatureDefMap`.
  fileprivate func writeSignature(to writer: inout ProtobufWriter) {
    writer.message(1) { writer in
      writer.string(1, Self.servingSignature)
      writer.message(2) { writer in
        for (field, tensors) in [(1, inputs), (2, outputs)] {
          for tensor in tensors {
            writer.message(field) { writer in
              writer.string(1, tensor.name)
              writer.message(2) { tensor.writeTensorInfo(to: &$0) }
            }
          }
        }
        writer.string(3, Self.servingMethod)
      }
    }
  }
}

extension InferenceModelMetadata.TensorMetadata {
  fileprivate func writeTensorInfo(to writer: inout ProtobufWriter) {
    writer.string(1, servingName)
    writer.varint(2, datatype.tensorFlowNumber)
    writer.message(3) { writer in
      for length in shape {
        writer.message(2) { $0.varint(1, UInt64(bitPattern: Int64(length))) }
      }
    }
  }
}

extension ProtobufMessage {
  /// The model in the first field of a request of TensorFlow Serving; `nil` if there is none.
  var servingSpec: ModelSelector? {
    var selector: ModelSelector?
    // The error ends the search after the first field.
    try? forEachField { (number, value) throws(ProtobufError) in
      if number == 1, let spec = try? value.message() { selector = spec.servingModel() }
      throw .tooManyEntries
    }
    return selector
  }

  /// The model of the first task of a `MultiInferenceRequest`; `nil` if there is none.
  var firstTaskSpec: ModelSelector? {
    var selector: ModelSelector?
    // The error ends the search after the first field.
    try? forEachField { (number, value) throws(ProtobufError) in
      if number == 1, let task = try? value.message() { selector = task.servingSpec }
      throw .tooManyEntries
    }
    return selector
  }

  /// The model that a `ModelSpec` names; `nil` if it is malformed.
  fileprivate func servingModel() -> ModelSelector? {
    guard let fields = try? ProtobufFields(self, of: "ModelSpec"),
      let name = try? fields.string(1, of: "ModelSpec"), !name.isEmpty
    else { return nil }
    var selector = ModelSelector(name)
    if let version = try? fields[2]?.message(),
      let number = try? ProtobufFields(version, of: "Int64Value")
    {
      selector.version = (try? number[1]?.integer()).map(String.init) ?? "0"
    } else if let label = try? fields.string(4, of: "ModelSpec"), !label.isEmpty {
      selector.label = label
    }
    return selector
  }
}
