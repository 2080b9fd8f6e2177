import TensorIOBundle
import TensorIOCore
package import TensorIOJSON

/// The contents of a `tflite_metadata.json`, which AutoML Vision Edge writes beside its models.
package struct AutoMLMetadata: Sendable, Equatable {
  /// The name of the image input's tensor.
  let inputTensorName: String?
  /// The shape of the image input: batch, height, width, channels.
  let inputShape: [Int]
  /// The maximum number of detections.
  let maxDetections: Int?
  /// The names of the output tensors.
  let outputTensorNames: [String]
  /// The roles of the outputs, in the exporter's vocabulary.
  let outputRepresentations: [String]

  /// The maximum number of elements that are read from a list.
  private static let maxListLength = 64

  /// The tensors with a known role.
  var roles: [(tensor: String, role: OutputRole)] {
    zip(outputTensorNames, outputRepresentations).compactMap { tensor, representation in
      Self.rolesByRepresentation[representation].map { (tensor, $0) }
    }
  }

  private static let rolesByRepresentation: [String: OutputRole] = [
    "bounding_boxes": .boxes, "class_labels": .classes, "class_confidences": .scores,
    "num_of_boxes": .count,
  ]

  /// Parses a document, which may contain comments.
  package init(_ bytes: [UInt8]) throws(JSONError) {
    let root = try JSONDocument(parsing: bytes, dialect: .lenient).root
    guard root.kind == .object else {
      throw JSONError(
        .wrongType, at: root.position, pointer: "", expected: "an object", found: root.summary)
    }
    inputTensorName = root["inputTensor"]?.string
    inputShape = Self.list(root["inputShape"]).compactMap { $0.int.flatMap { Int(exactly: $0) } }
    maxDetections = root["maxDetections"]?.int.flatMap { Int(exactly: $0) }
    outputTensorNames = Self.list(root["outputTensors"] ?? root["outputTensor"]).compactMap(
      \.string)
    outputRepresentations = Self.list(root["outputTensorRepresentation"]).compactMap(\.string)
  }

  private static func list(_ node: JSONNode?) -> [JSONNode] {
    guard let node else { return [] }
    return node.elements.map { Array($0.prefix(maxListLength)) } ?? [node]
  }
}

// MARK: - Comparison with the model

extension AutoMLMetadata {
  /// Returns the values that the document confirms, with review notes where it contradicts the
  /// model.
  func draftedValues(comparedWith signature: ModelSignature) -> [DraftedValue] {
    [draftedShape(signature), draftedDetectionCount(signature)].compactMap(\.self)
      + missingTensorNames(in: signature).map { name in
        DraftedValue(
          path: "/", value: "no tensor '\(name)'", source: .exporter,
          reviewNote: "the metadata may belong to another model")
      }
  }

  private func missingTensorNames(in signature: ModelSignature) -> [String] {
    let names = Set((signature.inputs + signature.outputs).map(\.name))
    return ([inputTensorName].compactMap(\.self) + outputTensorNames).filter { !names.contains($0) }
  }

  private func draftedShape(_ signature: ModelSignature) -> DraftedValue? {
    guard let index = signature.inputs.firstIndex(where: { $0.name == inputTensorName }),
      !inputShape.isEmpty
    else { return nil }
    let actual = signature.inputs[index].shape
    let documented = TensorShape(signedDimensions: inputShape)
    var value = DraftedValue(
      path: "/inputs/\(index)/shape", value: actual.description, source: .exporter)
    if documented != actual {
      value.reviewNote = "the metadata declares \(documented); the model's own shape is used"
    }
    return value
  }

  private func draftedDetectionCount(_ signature: ModelSignature) -> DraftedValue? {
    guard let maxDetections, let tensor = roles.first(where: { $0.role == .boxes })?.tensor,
      let index = signature.outputs.firstIndex(where: { $0.name == tensor })
    else { return nil }
    let actual = signature.outputs[index].shape
    var value = DraftedValue(
      path: "/outputs/\(index)/shape", value: actual.description, source: .exporter)
    if !actual.dimensions.contains(maxDetections) {
      value.reviewNote =
        "the metadata declares \(maxDetections) detections; the model's own shape is used"
    }
    return value
  }
}
