/// What a bundle declares for a type of task: its settings and the outputs that it requires.
package struct TaskFormat: Sendable {
  /// The type of a setting's value.
  package enum SettingType: Sendable, Hashable {
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
    /// A list of lists of two strings.
    case pairs
    /// A list of integers of at least 1.
    case positiveIntegers
    /// A list of numbers above 0.
    case positiveNumbers
    /// One of several strings.
    case choice([String])
  }

  /// A required output.
  package struct OutputRequirement: Sendable {
    /// The description of the requirement, for messages.
    let requirement: String
    let isSatisfied: @Sendable ([Layer], ModelTask) -> Bool

    /// Creates a requirement.
    package init(
      _ requirement: String, isSatisfied: @escaping @Sendable ([Layer]) -> Bool
    ) {
      self.requirement = requirement
      self.isSatisfied = { outputs, _ in isSatisfied(outputs) }
    }

    private init(
      role: OutputRole, isRequired: @escaping @Sendable (ModelTask) -> Bool
    ) {
      requirement = "an output with the role \"\(role.rawValue)\""
      isSatisfied = { outputs, task in
        !isRequired(task) || outputs.contains { $0.role == role }
      }
    }

    /// Requires an output with a role, if the settings of the task need it.
    package static func role(
      _ role: OutputRole, isRequired: @escaping @Sendable (ModelTask) -> Bool = { _ in true }
    ) -> OutputRequirement {
      OutputRequirement(role: role, isRequired: isRequired)
    }
  }

  /// The names of the task, which are synonyms.
  package let typeNames: [String]
  /// The settings by key.
  package let settings: [String: SettingType]
  /// The outputs without which the task has no result.
  package let requiredOutputs: [OutputRequirement]

  /// Creates a format.
  package init(
    _ typeNames: String..., settings: [String: SettingType] = [:],
    requiredOutputs: [OutputRequirement]
  ) {
    self.typeNames = typeNames
    self.settings = settings
    self.requiredOutputs = requiredOutputs
  }

  /// The maximum of integer settings.
  package static let maxCount = 1 << 20
}
