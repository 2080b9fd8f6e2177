// The part of the program of Scripts/test/typed-models that is the same for all bundles.
import Foundation
import TensorIO

/// Prints the typed outputs of a sample as one line of JSON, if those of all runs are equal.
func report(_ name: String, _ outputs: [some TypedModelOutput]) throws {
  let texts = try outputs.map { output in
    try Mirror(reflecting: output).children.filter { $0.label != "modelOutput" }.map { child in
      "\"\(child.label ?? "")\": \(try json(child.value))"
    } + bestLabel(of: output)
  }
  guard Set(texts).count == 1 else { throw DifferentResults(sample: name) }
  print("{\"name\": \"\(name)\", \"outputs\": {\(texts[0].joined(separator: ", "))}}")
}

struct DifferentResults: Error {
  let sample: String
}

private func bestLabel(of output: some TypedModelOutput) -> [String] {
  for child in Mirror(reflecting: output).children where child.label == "classes" {
    guard let best = (child.value as? [any Row])?.first else { return [] }
    return ["\"label\": \"\(best.labelText)\""]
  }
  return []
}

private func json(_ value: Any) throws -> String {
  switch value {
  case let value as Float: "\(value)"
  case let value as Double: "\(value)"
  case let value as Int: "\(value)"
  case let values as [Float]: "\(values)"
  case let values as [Int]: "\(values)"
  case let text as String: "\"\(text)\""
  case let embedding as Embedding: "\(embedding.values)"
  case let classification as Classification: "\(classification.scores)"
  case let image as ImageBuffer: "\"\(Data(try image.encoded(as: .png)).base64EncodedString())\""
  case let segmentation as Segmentation: try json(segmentation.indexImage)
  case let poses as Poses: "[\(poses.map(\.json).joined(separator: ", "))]"
  case let detections as Detections: "[\(detections.map(\.json).joined(separator: ", "))]"
  case let activity as Activity: activity.json
  case let keywords as Keywords: keywords.json
  case let line as TextLine: line.json
  case let lines as TextLines: "[\(lines.map(\.json).joined(separator: ", "))]"
  case let rows as [any Row]: "[\(rows.map(\.json).joined(separator: ", "))]"
  default: "null"
  }
}

private protocol Row {
  var labelText: String { get }
  var json: String { get }
}

extension Labeled: Row {
  var labelText: String { label.rawValue }

  var json: String {
    switch result {
    case let entry as Classification.Entry:
      "{\"label\": \"\(labelText)\", \"score\": \(entry.score), \"index\": \(entry.index)}"
    case let detection as Detection: detection.json
    default: "{\"label\": \"\(labelText)\"}"
    }
  }
}

extension Detection {
  var json: String {
    let edges = [("xmin", box.xmin), ("ymin", box.ymin), ("xmax", box.xmax), ("ymax", box.ymax)]
      .map { "\"\($0)\": \(($1 * 100).rounded() / 100)" }
    return "{\"label\": \"\(label)\", \"score\": \(score), \"index\": \(index), "
      + "\"box\": {\(edges.joined(separator: ", "))}}"
  }
}

extension Activity {
  var json: String {
    let sections = segments.map { "{\"start\": \($0.start), \"end\": \($0.end)}" }
    return
      "{\"segments\": [\(sections.joined(separator: ", "))], \"probabilities\": \(probabilities), "
      + "\"hop\": \(hop)}"
  }
}

extension Keywords {
  var json: String {
    let heard = spotted.map {
      "{\"label\": \"\($0.label)\", \"time\": \($0.time), \"score\": \($0.score)}"
    }
    let scores = words.map { "{\"label\": \"\($0.label)\", \"scores\": \($0.scores)}" }
    return "{\"spotted\": [\(heard.joined(separator: ", "))], "
      + "\"words\": [\(scores.joined(separator: ", "))], \"hop\": \(hop)}"
  }
}

extension TextLine {
  var json: String { "{\"text\": \"\(text ?? "")\", \"score\": \(score)}" }
}

extension Pose {
  var json: String {
    let points = keypoints.map { point in
      let position = [("x", point.x), ("y", point.y)]
        .map { "\"\($0)\": \(($1 * 100).rounded() / 100)" }
      return
        "{\"name\": \"\(point.name)\", \(position.joined(separator: ", ")), \"score\": \(point.score)}"
    }
    return "{\"score\": \(score), \"keypoints\": [\(points.joined(separator: ", "))]}"
  }
}
