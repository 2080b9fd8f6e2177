import TensorIOJSON

/// What a bundle declares for a type of task: its settings and the outputs that it requires.
package struct TaskFormat: Sendable {
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
  /// The outputs without which the task has no result.
  package let requiredOutputs: [OutputRequirement]
  private let makeSettings: @Sendable () -> [Field<TaskSettings>]

  /// Creates a format.
  package init(
    _ typeNames: String..., requiredOutputs: [OutputRequirement],
    @FieldBuilder<TaskSettings> settings: @escaping @Sendable () -> [Field<TaskSettings>]
  ) {
    self.typeNames = typeNames
    self.requiredOutputs = requiredOutputs
    makeSettings = settings
  }

  /// The settings, which are made on demand because most bundles declare one task or none.
  package var settings: [Field<TaskSettings>] { makeSettings() }

  /// Returns the format of the task's settings, with one of the task's names for messages.
  package func settingsFormat(named name: String) -> ObjectFormat<TaskSettings> {
    ObjectFormat("the task \(name)", schema: "\(name)Task", TaskSettings()) {
      Field.ignored("type")
      settings.sorted { $0.key < $1.key }
    }
  }
}

/// The settings of a task, whose values are kept in ``ModelTask/settings``.
package struct TaskSettings: Sendable {}

extension Field<TaskSettings> {
  /// Creates a setting; `absence` is what a missing one means, for the reference.
  package init<Value>(
    _ key: String, _ format: @autoclosure @escaping Format<Value>,
    otherwise absence: String = "none", _ summary: String
  ) {
    self = Field.unkept(key, format(), summary).otherwise(absence)
  }
}

extension ValueFormat<Int> {
  /// An integer of at least 1.
  package static let count = integer(1...1 << 20, expected: "an integer of at least 1")
}

extension ValueFormat<[Int]> {
  /// Integers of at least 1.
  package static let counts = list(of: .count, "integers")
}

extension ValueFormat<[Float]> {
  /// Numbers above 0.
  package static let positiveNumbers = list(of: .number(in: .positive), "numbers")
}

extension ValueFormat<[String]> {
  /// A list of strings.
  package static let strings = list(of: .string, "strings")
}

extension ValueFormat<[[String]]> {
  /// A list of pairs of strings.
  package static let pairs = list(of: pair, "pairs")

  private static let pair = ValueFormat<[String]>(
    FormatReference(codes: .wrongType),
    schema: { _ in
      ["type": "array", "items": ["type": "string"], "minItems": 2, "maxItems": 2]
    },
    read: { node, reader in
      guard let names = reader.elements(node, of: "two strings") else { return nil }
      guard node.count == 2 else {
        reader.reportWrongType(node, "an array of two strings")
        return nil
      }
      return names.compactMap { reader.string($0) }
    },
    write: { names, writer in ValueFormat<[String]>.strings.write(names, &writer) })
}

extension ValueFormat<String> {
  /// One of several strings; case matters.
  package static func choice(of names: [String]) -> ValueFormat {
    choice(names.map { ($0, $0) }, else: .unknownSetting)
  }
}
