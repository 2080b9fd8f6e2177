internal import TensorIOCore
internal import TensorIODrawing
internal import TensorIOImage
internal import TensorIOTasks

/// What a detector has found, as it is printed and drawn.
struct DetectionsAnswer: TellingAnswer {
  let key = "detections"
  let detections: Detections
  /// What later steps of a chain say of each thing.
  var details: [ThingDetails] = []

  func write(to writer: inout JSONWriter) {
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
  func name(at place: Int) -> String? { details(at: place)?.name }

  private func details(at place: Int) -> ThingDetails? {
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

extension DetectionsAnswer: ShownAnswer {
  var lines: [String] {
    let labels = detections.map(\.label.printable)
    let width = labels.map(\.count).max() ?? 0
    let rows = zip(detections, labels).enumerated().map { place, row in
      let (detection, label) = row
      let space = String(repeating: " ", count: width - label.count)
      let edges = detection.box.edges.map { "\(Int(clamping: $0.value.rounded()))" }
      return "    \(label)\(space)  \(detection.score.fixed(4))"
        + "  x \(edges[0])–\(edges[2])  y \(edges[1])–\(edges[3])"
        + (details(at: place)?.text ?? "")
    }
    return ["  detections"] + (rows.isEmpty ? ["    nothing above the threshold"] : rows)
  }

  var rows: [AnswerRow] {
    detections.enumerated().flatMap { place, detection in
      ([("score", "\(detection.score)")] + detection.box.edges.map { ($0.name, "\($0.value)") })
        .map { name, value in
          AnswerRow(
            output: "detections/\(place)/\(name)", index: "\(detection.index)",
            label: detection.label, value: value)
        } + (details(at: place)?.rows(under: "detections/\(place)") ?? [])
    }
  }

  /// What is drawn around the things that were found.
  var annotations: [BoxAnnotation] {
    detections.enumerated().map { place, detection in
      let box = detection.box
      return BoxAnnotation(
        box: .init(x: box.xmin, y: box.ymin, width: box.width, height: box.height),
        label: name(at: place) ?? detection.label, score: Double(detection.score),
        color: Color(detection.color),
        points: detection.keypoints.map { .init(x: $0.x, y: $0.y) })
    }
  }
}

extension Box {
  /// The edges by their names, to the hundredth of a pixel.
  var edges: [(name: String, value: Double)] {
    [("xmin", xmin), ("ymin", ymin), ("xmax", xmax), ("ymax", ymax)].map {
      ($0, $1.roundedToHundredths)
    }
  }
}

extension Double {
  fileprivate var roundedToHundredths: Double { (self * 100).rounded() / 100 }
}
