package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// Decodes the class of each pixel from an output with a class, or a score per class, for each cell
/// of a grid.
package struct SegmentationDecoder: TaskDecoder {
  /// The size and threshold of the result.
  package var options: SegmentationOptions
  /// The name of the decoded output.
  package let output: String
  private let labels: [String]

  /// Creates a decoder for the outputs of a model.
  package init(_ source: OutputSource) throws(ModelError) {
    options = SegmentationOptions(source.task)
    guard let layer = source.outputs.first(where: { $0.role == .mask }) else {
      throw ModelError(
        .bundle, .unmetRequirement("the task segmentation requires an output with the role mask"),
        file: source.bundle.path)
    }
    output = layer.name
    labels = try source.classLabels()
  }

  /// Returns the class of each pixel.
  package func decode(_ output: ModelOutput) throws(ModelError) -> Segmentation {
    let tensor = try output.tensor(self.output)
    let grid = try ScoreGrid(tensor, options.layout, layer: self.output)
    let geometry = output.imageGeometries.lazy.compactMap(\.self).first
    let sampling =
      options.size == .original ? geometry.map { GridSampling($0, grid) } : nil
    if grid.isClassMap {
      let classes = try classMap(tensor)
      return result(sampling.map { $0.nearest(classes) } ?? classes, sampling, grid)
    }
    let scores = try tensor.floats(ofLayer: self.output)
    let kernel = ScoreKernel(grid, options)
    let classes = kernel.classes(of: scores)
    guard let sampling else {
      let confidences = options.includesConfidences ? kernel.confidences(of: scores, classes) : []
      return result(classes, nil, grid, confidences)
    }
    let enlarged = kernel.classes(of: scores, classes, at: sampling)
    let confidences =
      options.includesConfidences ? kernel.confidences(of: scores, enlarged, at: sampling) : []
    return result(enlarged, sampling, grid, confidences)
  }

  private func result(
    _ classes: [UInt16], _ sampling: GridSampling?, _ grid: ScoreGrid, _ confidences: [Float] = []
  ) -> Segmentation {
    // A single class is the object; everything else is the background.
    let isBinary = grid.classCount == 1
    let names = isBinary && labels.count < 2 ? ["background", labels.first ?? "object"] : labels
    return Segmentation(
      width: sampling?.width ?? grid.width, classes: classes, labels: names,
      background: options.background, confidences: confidences)
  }

  /// Returns the classes in an output with a class per cell; those that are not integers from 0 to
  /// 65,534 are unknown.
  private func classMap(_ tensor: Tensor) throws(ModelError) -> [UInt16] {
    guard let numbers = tensor.numbers else {
      throw ModelError(
        .output, .wrongType(expected: "numbers", actual: "\(tensor.elementType)"), layer: output)
    }
    return (0..<numbers.count).map { UInt16(exactly: numbers[$0].rounded()) ?? .max }
  }
}
