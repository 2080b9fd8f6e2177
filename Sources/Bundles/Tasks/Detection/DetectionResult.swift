package import TensorIOBundle
import TensorIOCore
package import TensorIOImage
import TensorIOJSON
import TensorIOSystem

/// The detections of a run, for output and drawing.
package struct DetectionResult: TaskResult {
  package let key = "detections"
  package let detections: Detections
  /// The outputs of a chain's later steps for each detection.
  package var attributes: [DetectionAttributes] = []
  /// The pixels of each detection; empty for models without masks.
  package var masks: [InstanceMask] = []
  /// The number of each detection's object in a stream; empty if objects are not tracked.
  var ids: [Int?] = []
  /// The numbers of objects in a stream; `nil` if they are not tracked.
  var counts: TrackingCounts?

  package var content: [DetectionRecord] {
    detections.indices.map { index in
      DetectionRecord(
        id: id(at: index), detection: detections[index],
        mask: masks.indices.contains(index) ? masks[index] : nil, attributes: attributes(at: index))
    }
  }

  package var json: ResultJSON? {
    counts.map { counts in
      ResultJSON(recordMembers: { writer in
        writer.key("counts")
        counts.write(to: &writer)
      })
    }
  }

  /// Returns the number of the object of a detection; `nil` if it has none.
  private func id(at index: Int) -> Int? { ids.indices.contains(index) ? ids[index] : nil }

  /// Returns the recognized name or the label of a detection, with the number of its object.
  private func title(at index: Int) -> String {
    (name(at: index) ?? detections[index].label) + (id(at: index).map { " #\($0)" } ?? "")
  }

  /// Returns the name that a gallery has recognized, if one was used.
  package func name(at index: Int) -> String? { attributes(at: index)?.name }

  package func attributes(at index: Int) -> DetectionAttributes? {
    attributes.indices.contains(index) ? attributes[index] : nil
  }

  /// The detections that a later step has computed an embedding of.
  var embeddedRegions: [EmbeddedRegion] {
    zip(detections, attributes).compactMap { detection, attributes in
      attributes.embedding.map { EmbeddedRegion(embedding: $0, detection: detection) }
    }
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
  var roundedToHundredths: Double { (self * 100).rounded() / 100 }
}

extension DetectionResult {
  package var textLines: [String] {
    let labels = detections.indices.map { index in
      detections[index].label.sanitizedForTerminal + (id(at: index).map { " #\($0)" } ?? "")
    }
    let width = labels.map(\.count).max() ?? 0
    let rows = zip(detections, labels).enumerated().map { index, row in
      let (detection, label) = row
      let space = String(repeating: " ", count: width - label.count)
      let edges = detection.box.edges.map { "\(Int(clamping: $0.value.rounded()))" }
      return "    \(label)\(space)  \(detection.score.formatted(decimals: 4))"
        + "  x \(edges[0])–\(edges[2])  y \(edges[1])–\(edges[3])"
        + (attributes(at: index)?.text ?? "")
    }
    return ["  detections"] + (rows.isEmpty ? ["    none above the threshold"] : rows)
  }

  package var tableRows: [ResultRow] {
    detections.enumerated().flatMap { index, detection in
      ([("score", "\(detection.score)")] + detection.box.edges.map { ($0.name, "\($0.value)") })
        .map { name, value in
          ResultRow(
            output: "detections/\(index)/\(name)", index: "\(detection.index)",
            label: detection.label, value: value)
        } + (attributes(at: index)?.tableRows(prefix: "detections/\(index)") ?? [])
    }
  }

  package var summary: String {
    let objects = detections.indices.map { index in
      "(\(detections[index].score.formatted(decimals: 2))) \(title(at: index))"
    }.joined(separator: ", ")
    return [objects, counts?.text ?? ""].filter { !$0.isEmpty }.joined(separator: " · ")
  }

  package var notes: [String] { detections.inconsistencies.map(\.description) }

  package func cutOut(from image: ImageBuffer) throws(ModelError) -> ImageBuffer? {
    try masks.cutOut(from: image)
  }

  package var overlay: Overlay {
    Overlay(
      masks.compactMap { $0.element(in: $0.detection.color) } + (counts?.overlay ?? [])
        + detections.enumerated().map { index, detection in
          guard detection.corners.isEmpty else {
            return .polygon(
              Overlay.Polygon(
                corners: detection.corners, label: title(at: index),
                score: Double(detection.score), color: detection.color))
          }
          return .box(
            Overlay.Box(
              box: detection.box, label: title(at: index),
              score: Double(detection.score), color: detection.color,
              points: detection.keypoints.map { AffineMap.Point(x: $0.x, y: $0.y) }))
        })
  }
}
