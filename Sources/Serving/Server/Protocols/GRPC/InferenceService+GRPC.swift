extension InferenceService {
  /// All gRPC services: inference, those of TensorFlow Serving, health and reflection.
  package var grpcServices: [GRPCService] {
    let models =
      [OpenInferenceGRPC(service: self).grpcService]
      + TensorFlowServingGRPC(service: self).grpcServices
    let health = HealthGRPC(service: self, services: models.map(\.name)).grpcService
    func reflections(_ services: @escaping @Sendable () -> [GRPCService]) -> [GRPCService] {
      ["v1alpha", "v1"].map { ReflectionGRPC(version: $0, services: services).grpcService }
    }
    // The list that reflection returns has reflection itself.
    let described = models + [health]
    let names = described + reflections { [] }
    return described + reflections { names }
  }
}
