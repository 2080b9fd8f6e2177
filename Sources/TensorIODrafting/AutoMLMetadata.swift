import TensorIOBundle
import TensorIOCore
package import TensorIOJSON

/// A `tflite_metadata.json`, as AutoML Vision Edge writes it beside the models that it exports.
package struct AutoMLMetadata: Sendable, Equatable {
  /// The name of the picture's tensor.
  let inputTensorName: String?
  /// The shape of the picture: batch, height, width, channels.
  let inputShape: [Int]
  /// The most detections that come out.
  let maxDetections: Int?
  /// The names of the outputs' tensors.
  let outputTensorNames: [String]
  /// What the outputs are, in the exporter's words.
  let outputRepresentations: [String]

  /// More than any list of the file has.
  private static let maxListLength = 64

  /// The tensors that have a role.
  var roles: [(tensor: String, role: OutputRole)] {
    zip(outputTensorNames, outputRepresentations).compactMap { tensor, word in
      Self.rolesByRepresentation[word].map { (tensor, $0) }
    }
  }

  private static let rolesByRepresentation: [String: OutputRole] = [
    "bounding_boxes": .boxes, "class_labels": .classes, "class_confidences": .scores,
    "num_of_boxes": .count,
  ]

  /// Reads a document, which may be annotated as in a tutorial.
  package init(_ bytes: [UInt8]) throws(JSONError) {
    let root = try JSONDocument(parsing: bytes, dialect: .lenient).root
    guard root.kind == .object else {
      throw JSONError(
        .wrongType, at: root.position, pointer: "", expected: "an object", found: root.summary)
    }
    inputTensorName = root["inputTensor"]?.string
    inputShape = Self.list(root["inputShape"]).compactMap { $0.int.flatMap { Int(exactly: $0) } }
    maxDetections = root["maxDetections"]?.int.flatMap { Int(exactly: $0) }
    outputTensorNames = Self.list(root["outputTensors"] ?? root["outputTensor"]).compactMap(\.string)
    outputRepresentations = Self.list(root["outputTensorRepresentation"]).compactMap(\.string)
  }

  private static func list(_ node: JSONNode?) -> [JSONNode] {
    guard let node else { return [] }
    return node.elements.map { Array($0.prefix(maxListLength)) } ?? [node]
  }
}

// MARK: - Beside a model

extension AutoMLMetadata {
  /// In what the document and the model differ.
  func draftedValues(comparedWith signature: ModelSignature) -> [DraftedValue] {
    [draftedShape(signature), draftedDetectionCount(signature)].compactMap(\.self)
      + missingTensorNames(in: signature).map { name in
        DraftedValue(
          path: "/", value: "no tensor '\(name)'", source: .exporter,
          reviewNote: "is the metadata that of another model?")
      }
  }

  private func missingTensorNames(in signature: ModelSignature) -> [String] {
    let names = Set((signature.inputs + signature.outputs).map(\.name))
    return ([inputTensorName].compactMap(\.self) + outputTensorNames).filter { !names.contains($0) }
  }

  private func draftedShape(_ signature: ModelSignature) -> DraftedValue? {
    guard let index = signature.inputs.firstIndex(where: { $0.name == inputTensorName }), !inputShape.isEmpty
    else {
      return nil
    }
    let actual = signature.inputs[index].shape
    var finding = DraftedValue(
      path: "/inputs/\(index)/shape", value: actual.description, source: .exporter)
    if TensorShape(signedDimensions: inputShape) != actual {
      finding.reviewNote = "the metadata says \(TensorShape(signedDimensions: inputShape)); the model's own counts"
    }
    return finding
  }

  private func draftedDetectionCount(_ signature: ModelSignature) -> DraftedValue? {
    guard let maxDetections, let tensor = roles.first(where: { $0.role == .boxes })?.tensor,
      let index = signature.outputs.firstIndex(where: { $0.name == tensor })
    else { return nil }
    let actual = signature.outputs[index].shape
    var finding = DraftedValue(
      path: "/outputs/\(index)/shape", value: actual.description, source: .exporter)
    if !actual.dimensions.contains(maxDetections) {
      finding.reviewNote = "the metadata says \(maxDetections) detections; the model's own shape counts"
    }
    return finding
  }
}
