public import TensorIOBundle
public import TensorIOJSON

/// What a task recognizes in a model that has no bundle yet, for `tensorio init`.
public struct TaskGuess: Sendable {
  /// What is known of the model.
  public struct Evidence: Sendable {
    /// The inputs and outputs as drafted from the tensors and the model's metadata.
    public let description: ModelDescription
    /// The number of labels in the model's metadata or in the given file; `nil` without labels.
    public let labelCount: Int?
    /// The task that the model's metadata states, such as `obb`; `nil` if it states none.
    public let statedTask: String?
    /// The number of keypoints in the model's metadata, and of numbers for each; `nil` without keypoints.
    public let keypointShape: [Int]?
    /// The folder that the model was published in; `nil` for a file alone.
    package var hub: HubFolder?
    /// The outputs with the attention of a decoder to what its encoder returned, in which `*` is the number of the layer; `nil`
    /// if the model does not return it.
    package var attentions: String?
    /// The path of the model; empty if it is not in a file.
    package var modelPath = ""
    /// The name of the model's file, without its extension.
    package var fileStem = ""
    /// The shape of the tensor of the only image input, with the sides that the model leaves open.
    package var imageTensor: TensorShape?
    /// The characters that the model's metadata lists, one on each line.
    package var characters: String?
    /// The labels in the model's metadata or in the given file.
    package var labels: [String] = []

    /// Creates evidence.
    public init(
      _ description: ModelDescription, labelCount: Int?, statedTask: String? = nil,
      keypointShape: [Int]? = nil
    ) {
      (self.description, self.labelCount) = (description, labelCount)
      (self.statedTask, self.keypointShape) = (statedTask, keypointShape)
    }

    /// The outputs that are not passed back as state, with their indices.
    public var outputs: [(index: Int, layer: Layer)] {
      let states = Set(description.state.map(\.output))
      return description.outputs.enumerated().filter { !states.contains($0.element.name) }
        .map { ($0.offset, $0.element) }
    }

    /// The only image input; `nil` if there is none or several.
    public var image: ImageLayer? {
      let images = description.inputs.compactMap { layer -> ImageLayer? in
        if case .image(let image) = layer.kind { image } else { nil }
      }
      return images.count == 1 ? images[0] : nil
    }

    /// Returns the lengths of an output after its batch; `nil` if one varies.
    ///
    /// Exporters of YOLO models name a task; lengths that vary are then those for the size of the image.
    public func lengths(of output: NumericLayer) -> [Int]? {
      let lengths = Array(output.shape.dimensions.dropFirst())
      let known = lengths.compactMap(\.self)
      if known.count == lengths.count { return known }
      guard statedTask != nil, let image, known.count == 1 else { return nil }
      switch lengths.count {
      case 2: return lengths.map { $0 ?? Self.cellCount(of: image) }
      case 3 where lengths[0] != nil:
        return known + [image.height, image.width].map { $0 / Self.prototypeStride }
      default: return nil
      }
    }

    /// Returns the number of cells of the grids of a YOLO model.
    static func cellCount(of image: ImageLayer) -> Int {
      gridStrides.reduce(0) { $0 + (image.width / $1) * (image.height / $1) }
    }

    /// The strides of the grids of YOLO models.
    private static let gridStrides = [8, 16, 32]
    /// The pixels per side of an element of a mask's prototype.
    private static let prototypeStride = 4
  }

  /// How sure a guess is.
  public enum Confidence: String, Sendable, Hashable {
    /// The model's metadata states the task, and the shapes fit.
    case certain
    /// Hardly any other model has such shapes.
    case likely
    /// Models for other tasks have such shapes as well.
    case possible
  }

  /// The type of the task.
  public let type: String
  /// How sure the guess is.
  public var confidence: Confidence
  /// The roles of outputs, by index.
  public var roles: [Int: OutputRole]
  /// The output whose classes are named by the labels; `nil` if there is none.
  public var labeledOutput: Int?
  /// The settings of the task.
  public var settings: [String: JSONValue] = [:]
  /// Whether the folder of the model states the settings.
  package var areSettingsStated = false
  /// What the folder of the model states that the bundle cannot, by the name of the setting.
  package var omissions: [(key: String, value: String, reason: String)] = []
  /// The inputs that the files beside the model describe, by index.
  package var inputs: [Int: Layer] = [:]
  /// The inputs of functions, which the task determines, by the name of the function.
  package var functionInputs: [String: [Layer]] = [:]
  /// The kinds of outputs that the files beside the model describe, by index.
  package var outputs: [Int: Layer.Kind] = [:]
  /// The shapes of outputs whose tensors have free lengths, by index.
  package var shapes: [Int: TensorShape] = [:]
  /// The labels of ``labeledOutput`` if the model has none.
  package var labels: [String]?
  /// The files that the settings name, by their names in `assets`.
  package var assets: [String: [UInt8]] = [:]
  /// How the model expects its images; `nil` if the task does not determine it.
  package var image: ImagePreparation?
  /// Why the guess may be wrong; `nil` if it cannot be.
  public let reviewNote: String?

  /// Creates a guess.
  public init(
    _ type: String, roles: [Int: OutputRole], labeledOutput: Int? = nil,
    confidence: Confidence = .likely, reviewNote: String? = nil
  ) {
    (self.type, self.roles, self.labeledOutput) = (type, roles, labeledOutput)
    self.confidence = confidence
    self.reviewNote = reviewNote
  }
}
