import TensorIOBundle
import TensorIOCore

// Inference.
extension OpenInferenceGRPC {
  var inferenceMethods: [GRPCMethod] {
    [
      inferenceMethod("ModelInfer", .unary) { $0 },
      inferenceMethod("ModelStreamInfer", .exchange(error: Self.streamError)) { response in
        var writer = ProtobufWriter()
        writer.reserve(response.count + Self.maxHeaderBytes)
        writer.bytes(2, response)
        return writer.bytes
      },
    ]
  }

  /// The tag and the length before a message.
  private static let maxHeaderBytes = 16

  /// Returns a method that runs a model.
  ///
  /// - Parameters:
  ///   - name: The name of the method.
  ///   - kind: How many messages a call has.
  ///   - wrap: Returns the response with a `ModelInferResponse`.
  /// - Returns: The method.
  private func inferenceMethod(
    _ name: String, _ kind: GRPCMethod.Kind,
    _ wrap: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) -> GRPCMethod {
    GRPCMethod(
      Self.name, name, kind, model: Self.namedModel,
      rejection: { [service] in service.rejection($0) },
      overload: { [service] in service.catalog.recordOverload($0) }
    ) { [service] (request) async throws(ClientError) in
      let inference = try ModelInferMessage.request(request.message, request.context)
      let response = try await service.infer(inference, request.context, as: .binary)
      return .message(wrap(ModelInferResponseWriter(inference).bytes(of: response)))
    }
  }

  /// Returns the response that carries an error of one request of a stream.
  private static let streamError: @Sendable (String, [UInt8]) -> [UInt8] = { message, request in
    let inference = try? ModelInferMessage.request(request, RequestContext())
    var writer = ProtobufWriter()
    writer.string(1, message)
    if let id = inference?.id { writer.message(2) { $0.string(3, id) } }
    return writer.bytes
  }
}

/// Writes a `ModelInferResponse`, with the elements of outputs as raw memory.
struct ModelInferResponseWriter {
  private let request: InferenceRequest

  /// Creates a writer for the response to a request.
  init(_ request: InferenceRequest) { self.request = request }

  /// Returns the message.
  func bytes(of response: InferenceResponse) -> [UInt8] {
    let contents = response.outputs.map(\.binary)
    var writer = ProtobufWriter()
    writer.reserve(contents.reduce(Self.maxHeaderBytes) { $0 + $1.count + Self.maxHeaderBytes })
    writer.string(1, response.modelName)
    writer.string(2, response.modelVersion)
    writer.string(3, response.id ?? "")
    if request.parameters[ModelInferMessage.finalResponseParameter]?.bool == true {
      writer.message(4) { writer in
        writer.string(1, "triton_final_response")
        writer.message(2) { $0.varint(1, 1) }
      }
    }
    for output in response.outputs {
      writer.message(5) { writer in
        writer.string(1, output.name)
        writer.string(2, output.datatype.rawValue)
        writer.packed(3, output.shape)
      }
    }
    for bytes in contents { writer.bytes(6, bytes) }
    return writer.bytes
  }

  /// An estimate of the bytes of names and shapes.
  private static let maxHeaderBytes = 128
}
