package import TensorIOJSON

/// The task of a model, which determines the meaning of its outputs.
///
/// The settings are interpreted by the component that performs the task.
public struct ModelTask: Sendable, Hashable {
  /// The type of the task, such as `detection`.
  public var type: String
  /// The settings, with their values as JSON text.
  public var settings: [String: String]

  /// Creates a task.
  public init(type: String, settings: [String: String] = [:]) {
    self.type = type
    self.settings = settings
  }

  /// Returns the value of a setting.
  package func value(of key: String) -> JSONNode? {
    settings[key].flatMap(JSONNode.init(compactJSON:))
  }
}

/// The role of an output in a task.
package enum OutputRole: String, Sendable, Hashable, CaseIterable {
  /// Bounding boxes, four numbers each.
  case boxes
  /// Class indices.
  case classes
  /// Confidence scores, per label or per detection.
  case scores
  /// The number of valid rows in the other outputs.
  case count
  /// The likelihood of an object at each location of an image.
  case heatmap
  /// Keypoints.
  case keypoints
  /// A feature vector; similar inputs have nearby vectors.
  case embedding
  /// The class or object of each pixel of an image.
  case mask
  /// An image.
  case image
}

extension Layer {
  /// Whether labels apply to the indices of the layer's values, and not to the values themselves as
  /// for class indices.
  package var isLabeledByIndex: Bool { role == nil || role == .scores }
}

/// The settings and required outputs of a type of task.
struct TaskSchema: Sendable {
  /// The type of a setting's value.
  enum SettingType: Sendable, Hashable {
    /// Any number.
    case number
    /// A number from 0 to 1.
    case fraction
    /// An integer of at least 1.
    case positiveInteger
    /// `true` or `false`.
    case boolean
    /// A string.
    case string
    /// A list of strings.
    case strings
    /// One of several strings.
    case choice([String])
  }

  /// A required output.
  struct OutputRequirement: Sendable {
    /// The description of the requirement, for messages.
    let requirement: String
    let isSatisfied: @Sendable ([Layer]) -> Bool

    static func role(_ role: OutputRole) -> OutputRequirement {
      OutputRequirement(requirement: "an output with the role \"\(role.rawValue)\"") { outputs in
        outputs.contains { $0.role == role }
      }
    }
  }

  /// The names of the task, which are synonyms.
  let typeNames: [String]
  /// The settings by key.
  let settings: [String: SettingType]
  let requiredOutputs: [OutputRequirement]

  /// Returns the schema of a task type, or `nil` for application-defined types.
  static func named(_ type: String) -> TaskSchema? { all.first { $0.typeNames.contains(type) } }

  /// The maximum of integer settings.
  static let maxCount = 1 << 20
}

// A new task is added here, in `schema/model.schema.json`, and in TensorIOTasks.
extension TaskSchema {
  static let all = [classification, detection, embedding, image]

  private static let classification = TaskSchema(
    typeNames: ["classification"],
    settings: ["threshold": .number, "top": .positiveInteger, "allow": .strings, "deny": .strings],
    requiredOutputs: [
      OutputRequirement(
        requirement: "an output with labels, or with the role \"scores\""
      ) { outputs in
        outputs.contains { $0.role == .scores || ($0.labelsFile != nil && $0.isLabeledByIndex) }
      }
    ])

  private static let detection = TaskSchema(
    typeNames: ["detection"],
    settings: [
      "threshold": .number, "top": .positiveInteger, "iou": .fraction, "allow": .strings,
      "deny": .strings,
      "coordinates": .choice(["normalized", "pixels"]),
      "box_order": .choice(["yxyx", "xyxy", "cxcywh"]), "label": .string, "keypoints": .strings,
    ],
    requiredOutputs: [.role(.boxes), .role(.scores)])

  private static let embedding = TaskSchema(
    typeNames: ["embedding"],
    settings: [
      "metric": .choice(["euclidean", "cosine"]), "normalize": .boolean, "threshold": .number,
    ],
    requiredOutputs: [.role(.embedding)])

  private static let image = TaskSchema(
    typeNames: ["style", "image"],
    settings: ["size": .choice(["model", "original"])],
    requiredOutputs: [
      OutputRequirement(requirement: "an output of the type \"image\"") { outputs in
        outputs.contains(where: \.isImage)
      }
    ])
}
