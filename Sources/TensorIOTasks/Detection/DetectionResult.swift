package import TensorIOCore
import TensorIOImage
package import TensorIOJSON

/// What a detector has found, as it is printed and drawn.
package struct DetectionResult: TaskResult {
  package let key = "detections"
  package let detections: Detections
  /// What later steps of a chain say of each thing.
  package var attributes: [DetectionAttributes] = []

  package func write(to writer: inout JSONWriter) {
    writer.array { writer in
      for (place, detection) in detections.enumerated() {
        writer.object { writer in
          Self.write(detection, to: &writer)
          attributes(at: place)?.write(to: &writer)
        }
      }
    }
  }

  /// Whom a gallery takes a thing for, where one was asked.
  package func name(at place: Int) -> String? { attributes(at: place)?.name }

  package func attributes(at place: Int) -> DetectionAttributes? {
    attributes.indices.contains(place) ? attributes[place] : nil
  }

  private static func write(_ detection: Detection, to writer: inout JSONWriter) {
    writer.member("label", detection.label)
    writer.member("index", detection.index)
    writer.member("score", detection.score)
    writer.member("color", detection.color.hexadecimal)
    writer.member(
      "box",
      object: { writer in
        for (name, edge) in detection.box.edges { writer.member(name, edge) }
      })
    guard !detection.keypoints.isEmpty else { return }
    writer.member(
      "keypoints",
      array: { writer in
        for point in detection.keypoints {
          writer.object { writer in
            writer.member("name", point.name)
            writer.member("x", point.x.roundedToHundredths)
            writer.member("y", point.y.roundedToHundredths)
          }
        }
      })
  }
}

extension BoundingBox {
  /// The edges by their names, to the hundredth of a pixel.
  package var edges: [(name: String, value: Double)] {
    [("xmin", xmin), ("ymin", ymin), ("xmax", xmax), ("ymax", ymax)].map {
      ($0, $1.roundedToHundredths)
    }
  }
}

extension Double {
  fileprivate var roundedToHundredths: Double { (self * 100).rounded() / 100 }
}

/// What later steps of a chain say of one thing, and whom a gallery takes it for.
package struct DetectionAttributes {
  /// What came out of the last step for it.
  package let layers: [ModelOutput.Layer]
  /// Whom a gallery takes it for; `nil` where no gallery was asked.
  package var recognition: Recognition?

  /// The details of one thing.
  init(layers: [ModelOutput.Layer], recognition: Recognition? = nil) {
    (self.layers, self.recognition) = (layers, recognition)
  }

  /// By what it is known, where a gallery was asked.
  package var name: String? { recognition.map { $0.name ?? Recognition.unknownName } }

  /// Writes it as members of the thing's object.
  package func write(to writer: inout JSONWriter) {
    if let recognition, let name {
      writer.member("name", name)
      writer.member("known", recognition.name != nil)
      if let distance = recognition.distance { writer.member("distance", distance) }
    }
    for layer in layers {
      writer.key(Self.reservedKeys.contains(layer.name) ? "output_\(layer.name)" : layer.name)
      writer.value(layer.value)
    }
  }

  /// The keys that a thing's object has already.
  private static let reservedKeys: Set = [
    "label", "index", "score", "color", "box", "keypoints", "name", "known", "distance",
  ]
}

extension Recognition {
  /// What strangers are called.
  package static let unknownName = "unknown"
}
