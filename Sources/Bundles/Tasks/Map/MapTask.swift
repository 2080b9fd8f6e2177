package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// Map: a number for each pixel of an image, such as its depth.
package struct MapTask: ModelTask {
  package static let format = TaskFormat(
    "map", "depth", requiredOutputs: [.role(.map)],
    interface: TaskInterface(
      "map", .init("map", type: "ValueMap", "The number for each pixel of the image."))
  ) {
    size
  }

  private static let size = TaskSetting.size(default: .original)

  /// The size of the map.
  package var options: ImageOutputOptions
  /// The name of the decoded output.
  package let output: String

  package init(_ model: ModelInfo) throws(ModelError) {
    options = ImageOutputOptions(size: model[Self.size])
    output = try model.output(.map)
  }

  /// Recognizes models of depth by the folder that they were published in.
  package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    guard evidence.image != nil, evidence.hub?.head == "DepthEstimation",
      let (index, layer) = evidence.output(named: "predicted_depth"),
      layer.shape.dimensions.count == 3
    else { return nil }
    var guess = TaskGuess(format.names[0], roles: [index: .map], confidence: .certain)
    guess.omissions.append(
      (size.key, "original", "the map is enlarged bilinearly; the folder enlarges it bicubically"))
    return guess
  }

  package func result(of output: ModelOutput) throws(ModelError) -> ValueMap {
    let tensor = try output.tensor(self.output)
    let grid = try ScoreGrid(tensor, .channelsLast, layer: self.output)
    guard grid.classCount == 1 else {
      throw ModelError(
        .output,
        .invalidValue(
          "a map has one number for each cell of a grid; the output is \(tensor, as: "tensor")"),
        layer: self.output)
    }
    let values = try tensor.floats(ofLayer: self.output)
    guard options.size == .original,
      let geometry = output.imageGeometries.lazy.compactMap(\.self).first
    else { return ValueMap(width: grid.width, values: values) }
    let sampling = GridSampling(geometry, grid)
    return ValueMap(width: sampling.width, values: sampling.interpolated(values))
  }

  package var replacedOutputs: Set<String> { [output] }

  package func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation {
    let map = try result(of: output)
    let geometry = output.imageGeometries.lazy.compactMap(\.self).first
    return .result(
      MapResult(
        map: map, imageWidth: geometry?.imageWidth ?? map.width,
        imageHeight: geometry?.imageHeight ?? map.height), replacing: replacedOutputs)
  }
}
