internal import TensorIOCore

/// A `tflite_metadata.json`, as AutoML Vision Edge writes it beside the models that it exports.
struct ExportMetadata: Sendable, Equatable {
  /// The name of the picture's tensor.
  let input: String?
  /// The shape of the picture: batch, height, width, channels.
  let shape: [Int]
  /// The most detections that come out.
  let detections: Int?
  /// The names of the outputs' tensors.
  let outputs: [String]
  /// What the outputs are, in the exporter's words.
  let representations: [String]

  /// More than any list of the file has.
  private static let longestList = 64

  /// The tensors that have a role.
  var roles: [(tensor: String, role: OutputRole)] {
    zip(outputs, representations).compactMap { tensor, word in
      Self.words[word].map { (tensor, $0) }
    }
  }

  private static let words: [String: OutputRole] = [
    "bounding_boxes": .boxes, "class_labels": .classes, "class_confidences": .scores,
    "num_of_boxes": .count,
  ]

  /// Reads a document, which may be annotated as in a tutorial.
  init(_ bytes: [UInt8]) throws(JSONError) {
    let root = try JSONDocument(parsing: bytes, dialect: .annotated).root
    guard root.kind == .object else {
      throw JSONError(
        .wrongType, at: root.position, pointer: "", expected: "an object", found: root.summary)
    }
    input = root["inputTensor"]?.string
    shape = Self.list(root["inputShape"]).compactMap { $0.int.flatMap { Int(exactly: $0) } }
    detections = root["maxDetections"]?.int.flatMap { Int(exactly: $0) }
    outputs = Self.list(root["outputTensors"] ?? root["outputTensor"]).compactMap(\.string)
    representations = Self.list(root["outputTensorRepresentation"]).compactMap(\.string)
  }

  private static func list(_ node: JSONNode?) -> [JSONNode] {
    guard let node else { return [] }
    return node.elements.map { Array($0.prefix(longestList)) } ?? [node]
  }
}

// MARK: - Beside a model

extension ExportMetadata {
  /// In what the document and the model differ.
  func findings(against signature: ModelSignature) -> [DraftFinding] {
    [shapeFinding(signature), detectionsFinding(signature)].compactMap(\.self)
      + missing(signature).map { name in
        DraftFinding(
          path: "/", value: "no tensor '\(name)'", source: .export,
          doubt: "is the metadata that of another model?")
      }
  }

  private func missing(_ signature: ModelSignature) -> [String] {
    let names = Set((signature.inputs + signature.outputs).map(\.name))
    return ([input].compactMap(\.self) + outputs).filter { !names.contains($0) }
  }

  private func shapeFinding(_ signature: ModelSignature) -> DraftFinding? {
    guard let index = signature.inputs.firstIndex(where: { $0.name == input }), !shape.isEmpty
    else {
      return nil
    }
    let actual = signature.inputs[index].shape
    var finding = DraftFinding(
      path: "/inputs/\(index)/shape", value: actual.description, source: .export)
    if TensorShape(signed: shape) != actual {
      finding.doubt = "the metadata says \(TensorShape(signed: shape)); the model's own counts"
    }
    return finding
  }

  private func detectionsFinding(_ signature: ModelSignature) -> DraftFinding? {
    guard let detections, let tensor = roles.first(where: { $0.role == .boxes })?.tensor,
      let index = signature.outputs.firstIndex(where: { $0.name == tensor })
    else { return nil }
    let actual = signature.outputs[index].shape
    var finding = DraftFinding(
      path: "/outputs/\(index)/shape", value: actual.description, source: .export)
    if !actual.axes.contains(detections) {
      finding.doubt = "the metadata says \(detections) detections; the model's own shape counts"
    }
    return finding
  }
}
