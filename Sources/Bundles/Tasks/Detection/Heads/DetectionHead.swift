import TensorIOBundle
import TensorIOCore

/// Decodes the raw outputs of one family of detectors.
///
/// A head is a file in this folder and an entry in ``DetectionHeads/all``.
protocol DetectionHead: Sendable {
  /// The name of the head in `model.json`.
  static var name: String { get }
  /// Whether the head has scores in an output separate from the boxes.
  static var hasScoresOutput: Bool { get }
  /// The settings of the task that the head changes, unless the bundle declares them.
  static var defaults: HeadDefaults { get }

  /// Creates a decoder with the settings of a bundle.
  ///
  /// - Throws: A ``ModelError`` if a setting that the head needs is missing or invalid.
  init(_ context: HeadContext) throws(ModelError)

  /// Returns the objects whose score is at least the threshold, with boxes from left, top to right,
  /// bottom.
  ///
  /// - Throws: A ``ModelError`` if a tensor has a shape that the head does not have.
  func candidates(
    in tensors: HeadTensors, threshold: Float
  ) throws(ModelError) -> DetectionCandidates
}

/// The heads that bundles may declare.
enum DetectionHeads {
  static let all: [any DetectionHead.Type] = [
    YOLOv5Head.self, YOLOv8Head.self, YOLOv10Head.self, YOLOXHead.self, SSDHead.self,
    PriorDecodedHead.self, CenterNetHead.self, YOLOv8OrientedHead.self,
  ]

  /// Returns the head that a task declares; `nil` if the outputs are decoded already.
  static func head(of task: TaskDescription?) -> (any DetectionHead.Type)? {
    guard let name = task?.string("head") else { return nil }
    return all.first { $0.name == name }
  }
}

/// The settings of a detection task that depend on its head.
struct HeadDefaults {
  var coordinates = DetectionOptions.Coordinates.pixels
  var boxOrder = DetectionOptions.BoxOrder.cxcywh
  var iouThreshold: Double? = Self.iouThreshold

  static let iouThreshold = 0.45
}

/// What a head is created from.
struct HeadContext {
  let task: TaskDescription
  let bundle: ModelBundle
  /// The size of the model's input image in pixels.
  let width: Int
  let height: Int
  /// The number of labels of the output with the boxes; 0 if it has none.
  let labelCount: Int
  /// The number of prototypes of masks; 0 if the model has none.
  let prototypeCount: Int

  /// The order of the four numbers of a box.
  var boxOrder: DetectionOptions.BoxOrder { DetectionOptions(task).boxOrder }

  /// Returns an error that names the bundle.
  func error(_ requirement: String) -> ModelError {
    ModelError(.bundle, .unmetRequirement(.init(requirement)), file: bundle.path)
  }
}

extension HeadContext {
  /// Creates the context of a model.
  ///
  /// - Parameters:
  ///   - source: The description of the outputs.
  ///   - map: The coordinates of the model's image input.
  ///   - labelCount: The number of labels.
  /// - Throws: A ``ModelError`` if the model has no image input.
  init(
    _ source: ModelInfo, _ map: ImageCoordinateMap, labelCount: Int
  ) throws(ModelError) {
    self.init(
      task: source.task ?? TaskDescription(type: "detection"), bundle: source.bundle,
      width: Int(map.size.width), height: Int(map.size.height), labelCount: labelCount,
      prototypeCount: MaskPrototypes.count(in: source.outputs))
    guard map.bounds != nil else { throw error("a raw detector head requires an image input") }
  }
}
