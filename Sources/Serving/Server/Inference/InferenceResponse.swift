/// The outputs of a model, independent of the protocol.
package struct InferenceResponse: Sendable {
  /// How a protocol represents numbers, which decides how much memory a response takes.
  package enum Format: Sendable {
    case binary, text

    /// Returns the memory that a response takes at most while it is written.
    func maxByteCount(of tensors: [InferenceTensor]) -> Int {
      tensors.reduce(0) { sum, tensor in
        switch self {
        // The memory of the elements, and the response.
        case .binary: sum + 2 * tensor.memoryByteCount
        case .text:
          sum + tensor.count * Self.textBytesPerElement
            + (tensor.strings == nil ? 0 : Self.textCopyCount * tensor.memoryByteCount)
        }
      }
    }

    /// Texts of up to 20 bytes in arrays that are copied when they grow.
    private static let textBytesPerElement = 64
    private static let textCopyCount = 6
  }

  /// The name of the model.
  package var modelName: String
  /// The version that ran.
  package var modelVersion: String
  /// The identifier of the request.
  package var id: String?
  /// The outputs, in the order of the model or of the request.
  package var outputs: [InferenceTensor]

  /// Creates a response.
  package init(
    modelName: String, modelVersion: String, id: String?, outputs: [InferenceTensor]
  ) {
    (self.modelName, self.modelVersion, self.id) = (modelName, modelVersion, id)
    self.outputs = outputs
  }
}
