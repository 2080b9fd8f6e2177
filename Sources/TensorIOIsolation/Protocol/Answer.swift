package import TensorIOCore

/// What a worker answers.
package enum Answer: Sendable, Equatable {
  /// It was done.
  case done
  /// The model is loaded.
  case model(ModelFacts)
  /// The outputs lie in the shared memory.
  case outputs([OutputPlace])
  /// The outputs need so many bytes of shared memory, which are to be given, and then asked for again.
  case needsRoom(Int)
  /// It was not done.
  case failed(ModelError)
}

/// What a runtime says of a model.
package struct ModelFacts: Sendable, Hashable {
  package var signature: ModelSignature
  package var signatures: [ModelSignature]
  package var warnings: [Problem]

  package init(
    signature: ModelSignature, signatures: [ModelSignature], warnings: [Problem]
  ) {
    self.signature = signature
    self.signatures = signatures
    self.warnings = warnings
  }
}

/// Where an output lies in the shared memory.
package struct OutputPlace: Sendable, Hashable {
  package var shape: TensorShape
  package var range: Range<Int>

  package init(shape: TensorShape, range: Range<Int>) {
    self.shape = shape
    self.range = range
  }
}
