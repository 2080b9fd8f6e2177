package import TensorIOCore
internal import TensorIOImage
package import TensorIOTasks

/// What a detector has found, as it is printed and drawn.
package struct DetectionsAnswer: TellingAnswer {
  package let key = "detections"
  package let detections: Detections
  /// What later steps of a chain say of each thing.
  package var details: [ThingDetails] = []

  package func write(to writer: inout JSONWriter) {
    writer.array { writer in
      for (place, detection) in detections.enumerated() {
        writer.object { writer in
          Self.write(detection, to: &writer)
          details(at: place)?.write(to: &writer)
        }
      }
    }
  }

  /// Whom a gallery takes a thing for, where one was asked.
  package func name(at place: Int) -> String? { details(at: place)?.name }

  package func details(at place: Int) -> ThingDetails? {
    details.indices.contains(place) ? details[place] : nil
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

extension Box {
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
