import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// `inference.GRPCInferenceService`: the Open Inference Protocol over gRPC, with the extensions of
/// Triton.
struct OpenInferenceGRPC: Sendable {
  let service: InferenceService

  /// The full name of the service.
  static let name = "inference.GRPCInferenceService"

  /// The service with all methods.
  var grpcService: GRPCService {
    GRPCService(
      name: Self.name,
      methods: serverMethods + inferenceMethods + modelMethods + repositoryMethods
        + settingsMethods + sharedMemoryMethods)
  }

  /// Returns a method that does not run models, and whose responses are described by JSON.
  ///
  /// `isChange` returns whether a request is for administrators only.
  func method(
    _ name: String, lane: (@Sendable ([UInt8]) -> ModelSelector?)? = nil,
    isChange: @escaping @Sendable (ProtobufMessage) throws(ClientError) -> Bool = { _ in false },
    _ handler: @escaping @Sendable (ProtobufMessage) async throws(ClientError) -> HTTPResponse
  ) -> GRPCMethod {
    GRPCMethod(Self.name, name, .unary, .control, model: lane) {
      [service] (request) async throws(ClientError) in
      let message = ProtobufMessage(request.message)
      if try isChange(message) { try service.requireAdministrator(request.context) }
      return try await handler(message)
    }
  }

  /// Returns the response that JSON describes.
  static func response(
    _ name: String, members write: (inout JSONWriter) -> Void
  ) -> HTTPResponse {
    do {
      return .message(
        try ProtobufSchema.standard.message("inference.\(name)Response", members: write))
    } catch {
      return ClientError(error).response
    }
  }

  /// Returns the model in the fields `name` and `version` of a request.
  static func selector(
    _ message: ProtobufMessage, _ type: String
  ) throws(ClientError) -> ModelSelector {
    let fields = try ProtobufFields(message, of: type)
    let version = try fields.string(2, of: type)
    return ModelSelector(
      try fields.string(1, of: type), version: version.isEmpty ? nil : version)
  }

  /// Finds the queue of a request whose first fields are `name` and `version`.
  static let namedModel: @Sendable ([UInt8]) -> ModelSelector? = { bytes in
    ProtobufMessage(bytes).modelSelector()
  }
}

// MARK: Server

extension OpenInferenceGRPC {
  private var serverMethods: [GRPCMethod] {
    [
      GRPCMethod(Self.name, "ServerLive", requiresToken: false) {
        (_) throws(ClientError) in Self.flag(true)
      },
      GRPCMethod(Self.name, "ServerReady", requiresToken: false) {
        (_) throws(ClientError) in Self.flag(service.isReady)
      },
      GRPCMethod(Self.name, "ModelReady") { (request) throws(ClientError) in
        let selector = try Self.selector(ProtobufMessage(request.message), "ModelReadyRequest")
        return Self.flag((try? service.isReady(selector)) == true)
      },
      method("ServerMetadata") { [service] (_) throws(ClientError) in
        Self.response("ServerMetadata") { writer in
          writer.member("name", InferenceService.name)
          writer.member("version", service.version)
          writer.strings("extensions", InferenceService.extensions)
        }
      },
    ]
  }

  /// Returns a message whose first field is a Boolean.
  private static func flag(_ value: Bool) -> HTTPResponse {
    var writer = ProtobufWriter()
    writer.bool(1, value)
    return .message(writer.bytes)
  }
}

// MARK: Models

extension OpenInferenceGRPC {
  private var modelMethods: [GRPCMethod] {
    [
      method("ModelMetadata", lane: Self.namedModel) { (message) async throws(ClientError) in
        let selector = try Self.selector(message, "ModelMetadataRequest")
        let metadata = try await service.modelMetadata(selector)
        return Self.response("ModelMetadata") { metadata.write(to: &$0) }
      },
      method("ModelConfig", lane: Self.namedModel) { (message) async throws(ClientError) in
        let selector = try Self.selector(message, "ModelConfigRequest")
        let metadata = try await service.modelMetadata(selector)
        return Self.response("ModelConfig") { writer in
          writer.member("config") { writer in
            metadata.writeConfiguration(
              service.catalog.settings(of: metadata.name), to: &writer)
          }
        }
      },
      method("ModelStatistics") { (message) throws(ClientError) in
        let selector = try Self.selector(message, "ModelStatisticsRequest")
        let entries = try service.statistics(selector.name.isEmpty ? nil : selector)
        return Self.response("ModelStatistics") { writer in
          writer.member("model_stats", objects: entries) { $1.write(to: &$0) }
        }
      },
    ]
  }
}

// MARK: Repository

extension OpenInferenceGRPC {
  private var repositoryMethods: [GRPCMethod] {
    [
      method("RepositoryIndex") { (message) throws(ClientError) in
        let type = "RepositoryIndexRequest"
        let onlyReady = try ProtobufFields(message, of: type).bool(2, of: type)
        let entries = service.repositoryIndex(onlyReady: onlyReady)
        return Self.response("RepositoryIndex") { writer in
          writer.member("models", objects: entries) { $1.write(to: &$0) }
        }
      },
      method("RepositoryModelLoad", isChange: { _ in true }) {
        (message) async throws(ClientError) in
        let type = "RepositoryModelLoadRequest"
        let name = try ProtobufFields(message, of: type).string(2, of: type)
        let override = try Self.override(message)
        try await service.load(name, override: override)
        return .message([])
      },
      method("RepositoryModelUnload", isChange: { _ in true }) { (message) throws(ClientError) in
        let type = "RepositoryModelUnloadRequest"
        try service.unload(ProtobufFields(message, of: type).string(2, of: type))
        return .message([])
      },
    ]
  }

  /// Returns the configuration that a request to load a model changes.
  private static func override(_ message: ProtobufMessage) throws(ClientError) -> String? {
    let type = "RepositoryModelLoadRequest"
    var config: String?
    for (name, value) in try message.entries(3, of: type) {
      guard name == "config" else {
        throw ClientError(
          .badRequest, "invalid-request",
          "unrecognized load parameter '\(name)'; only 'config' is supported")
      }
      let fields = try ProtobufFields(value, of: type)
      guard fields[3] != nil else {
        throw ClientError(
          .badRequest, "invalid-request", "load parameter 'config' must be a string of JSON")
      }
      config = try fields.string(3, of: type)
    }
    return config
  }
}

// MARK: Shared memory

extension OpenInferenceGRPC {
  private var sharedMemoryMethods: [GRPCMethod] {
    ["System", "Cuda"].flatMap { kind in
      ["Status", "Register", "Unregister"].map { action in
        GRPCMethod(Self.name, "\(kind)SharedMemory\(action)") {
          (_) throws(ClientError) -> HTTPResponse in
          throw .sharedMemory
        }
      }
    }
  }
}
