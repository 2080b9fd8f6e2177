package import TensorIOBundle
package import TensorIOCore

/// A region of an image with its embedding, or a whole image or text.
package struct EmbeddedRegion: Sendable {
  package let embedding: Embedding
  /// The region's detection; `nil` if the input was embedded as a whole.
  package var detection: Detection?
}

extension ModelOutput {
  /// Returns the embedding of a bundle, or those of a chain's detections.
  ///
  /// An embedding is not looked up in a gallery, so that enrolling many takes linear time.
  package func embeddedRegions() throws(ModelError) -> [EmbeddedRegion] {
    let hasLists = layers.contains { if case .list = $0.value { true } else { false } }
    guard hasLists, let detections = try processed().result.result as? DetectionResult else {
      return [EmbeddedRegion(embedding: try embedding)]
    }
    return detections.embeddedRegions
  }
}

extension [EmbeddedRegion] {
  /// Returns the only region, as an enrollment needs it.
  ///
  /// - Parameter input: The name of the input, for the message.
  /// - Returns: The region.
  /// - Throws: An error if there is none, or more than one.
  package func only(in input: String) throws(OperationError) -> EmbeddedRegion {
    guard let first, count == 1 else {
      throw .input(
        isEmpty ? "no-detection" : "multiple-detections",
        "\(input): found \(count) regions; an enrolled image must contain exactly one")
    }
    return first
  }
}
