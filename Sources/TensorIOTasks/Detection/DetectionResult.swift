package import TensorIOCore
import TensorIOImage
package import TensorIOJSON

/// The detections of a run, for output and drawing.
package struct DetectionResult: TaskResult {
  package let key = "detections"
  package let detections: Detections
  /// The outputs of a chain's later steps for each detection.
  package var attributes: [DetectionAttributes] = []

  package func write(to writer: inout JSONWriter) {
    writer.array { writer in
      for (index, detection) in detections.enumerated() {
        writer.object { writer in
          Self.write(detection, to: &writer)
          attributes(at: index)?.write(to: &writer)
        }
      }
    }
  }

  /// Returns the name that a gallery has recognized, if one was used.
  package func name(at index: Int) -> String? { attributes(at: index)?.name }

  package func attributes(at index: Int) -> DetectionAttributes? {
    attributes.indices.contains(index) ? attributes[index] : nil
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
  /// The names and values of the edges, rounded to hundredths of a pixel.
  package var edges: [(name: String, value: Double)] {
    [("xmin", xmin), ("ymin", ymin), ("xmax", xmax), ("ymax", ymax)].map {
      ($0, $1.roundedToHundredths)
    }
  }
}

extension Double {
  fileprivate var roundedToHundredths: Double { (self * 100).rounded() / 100 }
}

/// The outputs of a chain's later steps for one detection, and its recognition.
package struct DetectionAttributes {
  /// The outputs of later steps for the detection.
  package let layers: [ModelOutput.Layer]
  /// The result of searching a gallery; `nil` if none was used.
  package var recognition: Recognition?

  /// Creates attributes.
  init(layers: [ModelOutput.Layer], recognition: Recognition? = nil) {
    (self.layers, self.recognition) = (layers, recognition)
  }

  /// The recognized name or a placeholder; `nil` if no gallery was used.
  package var name: String? { recognition.map { $0.name ?? Recognition.unknownName } }

  /// Writes the attributes as members of the detection's JSON object.
  package func write(to writer: inout JSONWriter) {
    if let recognition, let name {
      writer.member("name", name)
      writer.member("matched", recognition.name != nil)
      if let distance = recognition.distance { writer.member("distance", distance) }
    }
    for layer in layers {
      writer.key(Self.reservedKeys.contains(layer.name) ? "output_\(layer.name)" : layer.name)
      writer.value(layer.value)
    }
  }

  /// The keys that the detection's JSON object already has.
  private static let reservedKeys: Set = [
    "label", "index", "score", "color", "box", "keypoints", "name", "matched", "distance",
  ]
}

extension Recognition {
  /// The name of an unknown person or object.
  package static let unknownName = "unknown"
}
