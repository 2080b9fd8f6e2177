package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// Segmentation: the class of each pixel of an image.
package struct SegmentationTask: ModelTask {
  package static let format = TaskFormat(
    "segmentation", requiredOutputs: [.role(.mask)],
    interface: TaskInterface(
      "segmentation", .init("segmentation", type: "Segmentation", "The class of each pixel."),
      .init(
        "regions", as: "segmentation.regions", type: nil, element: "Segmentation.Region",
        "The classes that occur in the image.")
    ).with {
      $0.labeledOutput = { outputs in outputs.first { $0.role == .mask } }
      // A mask of two classes has the implicit label `background`.
      $0.canList = { labels, _ in !labels.contains("") && labels.count > 1 }
    }
  ) {
    size
    activation
    layout
    minimumScore
    background
  }

  static let size = TaskSetting.size(default: .original)
  static let activation = TaskSetting.choice(
    "activation", default: SegmentationOptions.Activation.none,
    "The function that turns scores into probabilities."
  ).example("\"sigmoid\"")
  static let layout = TaskSetting.choice(
    "layout", default: ImageLayout.channelsLast,
    "The order of the axes of scores: rows, columns, classes, or classes, rows, columns."
  ).example("\"NCHW\"")
  static let minimumScore = TaskSetting.number(
    "threshold", in: .fraction, default: SegmentationOptions.defaultMinimumScore,
    "For an output with a single class, the minimum probability of the object, 0 to 1."
  ).example("0.3")
  static let background = TaskSetting.texts(
    "background", default: SegmentationOptions.defaultBackground,
    "The labels that are neither listed nor drawn."
  ).example("[\"sky\"]")

  /// The size and threshold of the result.
  package var options: SegmentationOptions
  /// The name of the decoded output.
  package let output: String
  private let labels: [String]

  private var maxCount: Int?
  private var filter = LabelFilter()

  package init(_ model: ModelInfo) throws(ModelError) {
    options = SegmentationOptions(model.task)
    output = try model.output(.mask)
    labels = try model.labels()
  }

  package mutating func apply(_ options: ResultOptions) {
    self.options.minimumScore = options.minimumScore ?? self.options.minimumScore
    maxCount = options.top ?? maxCount
    options.apply(to: &filter)
  }

  package var replacedOutputs: Set<String> { [output] }

  package static func forms(for description: ModelDescription) -> [ResultForm] { [.pixels] }

  package func reading(as form: ResultForm) -> ResultReading? {
    var task = self
    task.options.size = .original
    return .pixels { [task] (output) throws(ModelError) in try task.result(of: output) }
  }

  package func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation {
    let segmentation = try result(of: output)
    let regions = segmentation.regions.filter { filter.allows($0.label) }
    let geometry = output.imageGeometries.lazy.compactMap(\.self).first
    return .result(
      SegmentationResult(
        segmentation: segmentation, regions: Array(regions.prefix(maxCount ?? .max)),
        imageWidth: geometry?.imageWidth ?? segmentation.width,
        imageHeight: geometry?.imageHeight ?? segmentation.height), replacing: replacedOutputs)
  }

  /// Returns the class of each pixel.
  package func result(of output: ModelOutput) throws(ModelError) -> Segmentation {
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
