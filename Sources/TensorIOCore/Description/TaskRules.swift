/// What a description may say of a task: which settings it has, and which outputs it needs.
///
/// What is done with them is up to who performs the task.
struct TaskRules: Sendable {
  /// What the value of a setting looks like.
  enum Form: Sendable, Hashable {
    /// Any number.
    case number
    /// A number from 0 to 1.
    case share
    /// An integer of at least 1.
    case count
    /// `true` or `false`.
    case flag
    /// A text.
    case word
    /// A list of texts.
    case words
    /// One of a few texts.
    case choice([String])
  }

  /// An output that there must be.
  struct Need: Sendable {
    /// What it is, for messages.
    let what: String
    let isMet: @Sendable ([Layer]) -> Bool

    static func role(_ role: OutputRole) -> Need {
      Need(what: "an output with the role \"\(role.rawValue)\"") { outputs in
        outputs.contains { $0.role == role }
      }
    }
  }

  /// The words for the task; all mean the same.
  let types: [String]
  /// The settings by their keys.
  let settings: [String: Form]
  let needs: [Need]

  /// The task that a word stands for; `nil` for a word of somebody else's.
  static func of(_ type: String) -> TaskRules? { all.first { $0.types.contains(type) } }

  /// The most that a setting can count.
  static let maximumCount = 1 << 20
}

// A task that is added is added here, in the schema, and in a file of its own that performs it.
extension TaskRules {
  static let all = [classification, detection, embedding, picture]

  private static let classification = TaskRules(
    types: ["classification"],
    settings: ["threshold": .number, "top": .count, "allow": .words, "deny": .words],
    needs: [
      Need(what: "an output with labels, or with the role \"scores\"") { outputs in
        outputs.contains { $0.role == .scores || ($0.labels != nil && $0.isLabelledByPlace) }
      }
    ])

  private static let detection = TaskRules(
    types: ["detection"],
    settings: [
      "threshold": .number, "top": .count, "iou": .share, "allow": .words, "deny": .words,
      "coordinates": .choice(["normalized", "pixels"]),
      "box_order": .choice(["yxyx", "xyxy", "cxcywh"]), "label": .word, "keypoints": .words,
    ],
    needs: [.role(.boxes), .role(.scores)])

  private static let embedding = TaskRules(
    types: ["embedding"],
    settings: [
      "metric": .choice(["euclidean", "cosine"]), "normalize": .flag, "threshold": .number,
    ],
    needs: [.role(.embedding)])

  private static let picture = TaskRules(
    types: ["style", "image"],
    settings: ["size": .choice(["model", "original"])],
    needs: [
      Need(what: "an output of the type \"image\"") { outputs in
        outputs.contains { if case .image = $0.kind { true } else { false } }
      }
    ])
}
