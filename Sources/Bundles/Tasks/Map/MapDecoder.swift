package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// Decodes a number for each pixel from an output with a number for each cell of a grid.
package struct MapDecoder: TaskDecoder {
  /// The size of the map.
  package var options: MapOptions
  /// The name of the decoded output.
  package let output: String

  /// Creates a decoder for the outputs of a model.
  package init(_ source: OutputSource) throws(ModelError) {
    options = MapOptions(source.task)
    guard let name = source.outputs.outputName(for: .map) else {
      throw ModelError(
        .bundle, .unmetRequirement("the task map requires an output with the role map"),
        file: source.bundle.path)
    }
    output = name
  }

  /// Returns the map.
  package func decode(_ output: ModelOutput) throws(ModelError) -> ValueMap {
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
}
