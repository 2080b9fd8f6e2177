public import TensorIOJSON

/// What a model's outputs mean together.
///
/// The format knows that there is a task; what its settings mean is up to who performs it.
public struct ModelTask: Sendable, Hashable {
  /// The word for the task, such as `detection`.
  public var type: String
  /// The other keys, with their values as JSON text.
  public var settings: [String: String]

  /// A task of a kind.
  public init(type: String, settings: [String: String] = [:]) {
    self.type = type
    self.settings = settings
  }

  /// The value of a setting.
  public func value(of key: String) -> JSONNode? {
    settings[key].flatMap(JSONNode.init(compactJSON:))
  }
}

/// What an output is to a task.
public enum OutputRole: String, Sendable, Hashable, CaseIterable {
  /// Rectangles, four numbers each.
  case boxes
  /// Indices of labels.
  case classes
  /// How sure the model is, by label or by detection.
  case scores
  /// How many of the other outputs' rows mean something.
  case count
  /// For every place of a picture, how likely something is there.
  case heatmap
  /// Named points.
  case keypoints
  /// Numbers that are near one another for things that are alike.
  case embedding
  /// For every pixel of a picture, what it belongs to.
  case mask
  /// A picture.
  case image
}

extension Layer {
  /// Whether labels name the places of the layer's values, and not the values themselves, as
  /// those of class indices do.
  package var isLabeledByIndex: Bool { role == nil || role == .scores }
}

/// What a description may say of a task: which settings it has, and which outputs it needs.
///
/// What is done with them is up to who performs the task.
struct TaskSchema: Sendable {
  /// What the value of a setting looks like.
  enum SettingType: Sendable, Hashable {
    /// Any number.
    case number
    /// A number from 0 to 1.
    case fraction
    /// An integer of at least 1.
    case positiveInteger
    /// `true` or `false`.
    case boolean
    /// A text.
    case string
    /// A list of texts.
    case strings
    /// One of a few texts.
    case choice([String])
  }

  /// An output that there must be.
  struct OutputRequirement: Sendable {
    /// What it is, for messages.
    let requirement: String
    let isSatisfied: @Sendable ([Layer]) -> Bool

    static func role(_ role: OutputRole) -> OutputRequirement {
      OutputRequirement(requirement: "an output with the role \"\(role.rawValue)\"") { outputs in
        outputs.contains { $0.role == role }
      }
    }
  }

  /// The words for the task; all mean the same.
  let typeNames: [String]
  /// The settings by their keys.
  let settings: [String: SettingType]
  let requiredOutputs: [OutputRequirement]

  /// The task that a word stands for; `nil` for a word of somebody else's.
  static func named(_ type: String) -> TaskSchema? { all.first { $0.typeNames.contains(type) } }

  /// The most that a setting can count.
  static let maxCount = 1 << 20
}

// A task that is added is added here, in the schema, and in a file of its own that performs it.
extension TaskSchema {
  static let all = [classification, detection, embedding, image]

  private static let classification = TaskSchema(
    typeNames: ["classification"],
    settings: ["threshold": .number, "top": .positiveInteger, "allow": .strings, "deny": .strings],
    requiredOutputs: [
      OutputRequirement(requirement: "an output with labels, or with the role \"scores\"") { outputs in
        outputs.contains { $0.role == .scores || ($0.labelsFile != nil && $0.isLabeledByIndex) }
      }
    ])

  private static let detection = TaskSchema(
    typeNames: ["detection"],
    settings: [
      "threshold": .number, "top": .positiveInteger, "iou": .fraction, "allow": .strings, "deny": .strings,
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
        outputs.contains { if case .image = $0.kind { true } else { false } }
      }
    ])
}
