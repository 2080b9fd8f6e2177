package import TensorIOCore
package import TensorIOTasks

/// What later steps of a chain say of one thing, and whom a gallery takes it for.
package struct ThingDetails {
  /// What came out of the last step for it.
  package let layers: [ModelOutput.Layer]
  /// Whom a gallery takes it for; `nil` where no gallery was asked.
  package var recognition: Recognition?

  /// The details of one thing.
  init(layers: [ModelOutput.Layer], recognition: Recognition? = nil) {
    (self.layers, self.recognition) = (layers, recognition)
  }

  /// By what it is known, where a gallery was asked.
  package var name: String? { recognition.map { $0.name ?? Recognition.stranger } }

  /// Writes it as members of the thing's object.
  package func write(to writer: inout JSONWriter) {
    if let recognition, let name {
      writer.member("name", name)
      writer.member("known", recognition.name != nil)
      if let distance = recognition.distance { writer.member("distance", distance) }
    }
    for layer in layers {
      writer.key(Self.taken.contains(layer.name) ? "output_\(layer.name)" : layer.name)
      writer.value(layer.value)
    }
  }

  /// The keys that a thing's object has already.
  private static let taken: Set = [
    "label", "index", "score", "color", "box", "keypoints", "name", "known", "distance",
  ]
}

extension Recognition {
  /// What strangers are called.
  package static let stranger = "unknown"
}
