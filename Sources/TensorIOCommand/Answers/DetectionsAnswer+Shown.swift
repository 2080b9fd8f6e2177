internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOTasks

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
}
