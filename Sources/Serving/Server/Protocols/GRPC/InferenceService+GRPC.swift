extension InferenceService {
  /// All gRPC services: inference, those of TensorFlow Serving, health and reflection.
  package var grpcServices: [GRPCService] {
    let models =
      [OpenInferenceGRPC(service: self).grpcService]
      + TensorFlowServingGRPC(service: self).grpcServices
    let health = HealthGRPC(service: self, services: models.map(\.name)).grpcService
    return models + [health]
      + ["v1alpha", "v1"].map { ReflectionGRPC(version: $0).grpcService }
  }
}
