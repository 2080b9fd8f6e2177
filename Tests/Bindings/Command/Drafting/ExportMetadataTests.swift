import TensorIOCore
import Testing

@testable import TensorIOBundle
@testable import TensorIODrafting
@testable import TensorIOJSON

/// The document of fuzzing seed 004.
private let seed004 = """
  {
      "inferenceType": "QUANTIZED_UINT8",
      "inputShape": [
          1,   // This represents batch size
          512,  // This represents image width
          512,  // This represents image Height
          3  //This represents inputChannels
      ],
      "inputTensor": "normalized_input_image_tensor",
      "maxDetections": 20,  // This represents max number of boxes.
      "outputTensorRepresentation": [
          "bounding_boxes",
          "class_labels",
          "class_confidences",
          "num_of_boxes"
      ],
      "outputTensors": [
          "TFLite_Detection_PostProcess",
          "TFLite_Detection_PostProcess:1",
          "TFLite_Detection_PostProcess:2",
          "TFLite_Detection_PostProcess:3"
      ]
  }
  ...

  """

@Suite struct ExportMetadataTests {
  private func signature(_ side: Int, _ names: [String], _ count: Int) -> ModelSignature {
    let shapes: [TensorShape] = [[1, count], [1, count, 4], [1], [1, count]]
    return ModelSignature(
      name: "main",
      inputs: [
        TensorInfo(
          name: "normalized_input_image_tensor", elementType: .uint8,
          shape: TensorShape(signedDimensions: [1, side, side, 3]))
      ],
      outputs: zip(names, shapes).map { TensorInfo(name: $0, elementType: .float32, shape: $1) })
  }

  private let names = [":2", "", ":3", ":1"].map { "TFLite_Detection_PostProcess" + $0 }

  private func draft(_ signature: ModelSignature) throws -> BundleDraft {
    var sources = DraftSources(signature: signature, fileStem: "detect")
    sources.exportMetadata = try AutoMLMetadata(Array(seed004.utf8))
    return BundleDraft(from: sources)
  }

  @Test func `A document with comments is parsed`() throws {
    let export = try AutoMLMetadata(Array(seed004.utf8))
    #expect(export.inputTensorName == "normalized_input_image_tensor")
    #expect(export.inputShape == [1, 512, 512, 3])
    #expect(export.maxDetections == 20)
    #expect(export.roles.map(\.role) == [.boxes, .classes, .scores, .count])
    #expect(export.roles.map(\.tensor) == export.outputTensorNames)
  }

  @Test func `Roles are assigned to the named tensors in any order`() throws {
    let draft = try draft(signature(512, names, 20))
    #expect(draft.description.outputs.map(\.role) == [.scores, .boxes, .count, .classes])
    #expect(
      draft.draftedValues.filter { $0.source == .exporter }.allSatisfy { $0.reviewNote == nil })
  }

  @Test func `A document for another model is reported for review`() throws {
    let other = try draft(signature(256, names, 40))
    let values = other.draftedValues.filter { $0.source == .exporter && $0.reviewNote != nil }
    #expect(values.map(\.path) == ["/inputs/0/shape", "/outputs/1/shape"])
    let unknown = try draft(signature(512, ["a", "b", "c", "d"], 20))
    #expect(unknown.draftedValues.count { $0.value.hasPrefix("no tensor") } == 4)
    #expect(unknown.description.outputs.map(\.role) == [.scores, .boxes, .count, .classes])
  }

  @Test(arguments: ["", "[]", "{", "{\"inputShape\": [1, 2}"])
  func `Other documents are rejected`(_ text: String) {
    #expect(throws: JSONError.self) { try AutoMLMetadata(Array(text.utf8)) }
  }

  @Test(arguments: [
    "{}", #"{"inputShape": "1", "maxDetections": [], "outputTensors": 1}"#,
    #"{"inputShape": [1e400, -1, 99999999999999999999]}"#,
  ])
  func `Values of unexpected types are ignored`(_ text: String) {
    let export = try? AutoMLMetadata(Array(text.utf8))
    #expect(export.map { $0.roles.isEmpty && $0.maxDetections == nil } ?? true)
  }
}
