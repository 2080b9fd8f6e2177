import TensorIOBundle
import TensorIOCore

/// The names of a pose model's outputs, by role.
struct PoseRoles: Sendable {
  let keypoints: String?
  let keypointScores: String?
  let scores: String?
  let count: String?
  let heatmap: String?
  let offsets: String?
  let displacements: String?
  let backwardDisplacements: String?
  let mask: String?
  let longOffsets: String?

  init(_ source: ModelInfo) throws(ModelError) {
    let outputs = source.outputs
    keypoints = outputs.outputName(for: .keypoints)
    keypointScores = outputs.outputName(for: .keypointScores)
    scores = outputs.outputName(for: .scores)
    count = outputs.outputName(for: .count)
    heatmap = outputs.outputName(for: .heatmap)
    offsets = outputs.outputName(for: .offsets)
    displacements = outputs.outputName(for: .displacements)
    backwardDisplacements = outputs.outputName(for: .backwardDisplacements)
    mask = outputs.outputName(for: .mask)
    longOffsets = outputs.outputName(for: .longOffsets)
    guard keypoints != nil || heatmap != nil else {
      throw ModelError(
        .bundle,
        .unmetRequirement("the task pose requires an output with the role keypoints or heatmap"),
        file: source.bundle.path)
    }
  }

  var names: [String] {
    [
      keypoints, keypointScores, scores, count, heatmap, offsets, displacements,
      backwardDisplacements, mask, longOffsets,
    ].compactMap(\.self)
  }
}

/// An output with its shape.
struct PoseTensor {
  let name: String
  let values: [Float]
  /// The dimensions.
  let dimensions: [Int]
  /// The dimensions, without leading ones of length 1.
  var shape: [Int] { Array(dimensions.drop { $0 == 1 }) }
  /// The length of the dimension before the last one, such as the number of keypoints of a pose.
  var rowLength: Int { shape.dropLast().last ?? 1 }

  init(_ output: ModelOutput, _ name: String) throws(ModelError) {
    self.name = name
    values = try output.value(of: name)
    dimensions = try output.tensor(name).shape
  }

  /// The error of an output of the wrong shape.
  func wrongShape(expected: String) -> ModelError {
    ModelError(
      .output,
      .invalidValue(
        "a pose needs \(expected, as: "expected"); the output has the shape \(dimensions, as: "dimensions")"
      ), layer: name
    )
  }
}
