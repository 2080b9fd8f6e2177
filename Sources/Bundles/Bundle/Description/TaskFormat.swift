import TensorIOJSON

/// What a bundle declares for a task: its name, its settings and the outputs that it requires.
///
/// ```swift
/// import TensorIO
///
/// let minimumScore = TaskSetting.number("min_score", default: 0.5, "The minimum score of a line.")
/// let format = TaskFormat("reading", outputs: [.scores], settings: minimumScore)
/// ```
public struct TaskFormat: Sendable {
  /// A required output.
  package struct OutputRequirement: Sendable {
    /// The description of the requirement, for messages.
    let requirement: String
    let isSatisfied: @Sendable ([Layer], TaskDescription) -> Bool

    /// Creates a requirement.
    package init(
      _ requirement: String, isSatisfied: @escaping @Sendable ([Layer]) -> Bool
    ) {
      self.requirement = requirement
      self.isSatisfied = { outputs, _ in isSatisfied(outputs) }
    }

    private init(
      role: OutputRole, isRequired: @escaping @Sendable (TaskDescription) -> Bool
    ) {
      requirement = "an output with the role \"\(role.name)\""
      isSatisfied = { outputs, task in
        !isRequired(task) || outputs.contains { $0.role == role }
      }
    }

    /// Requires an output with a role, if the settings of the task need it.
    package static func role(
      _ role: OutputRole, isRequired: @escaping @Sendable (TaskDescription) -> Bool = { _ in true }
    ) -> OutputRequirement {
      OutputRequirement(role: role, isRequired: isRequired)
    }
  }

  /// The names of the task, which are synonyms.
  package let names: [String]
  /// The outputs without which the task has no result.
  package let requiredOutputs: [OutputRequirement]
  /// What a run returns in place of the bundle's outputs; `nil` if it returns those.
  package private(set) var runOutputs: [Layer]?
  /// The roles that the task has in addition to the standard ones.
  package private(set) var roles: [OutputRole] = []
  /// The result in typed code; `nil` for a task whose result typed code reads from the untyped output.
  package var interface: TaskInterface? { makeInterface() }
  /// Whether the scores of a model belong to labels of another output, so that they can be calibrated.
  package private(set) var hasLabeledScores: @Sendable (TaskDescription) -> Bool = { _ in false }
  /// The function for the scores of classes, which other tasks leave as they are.
  package private(set) var activation: @Sendable (TaskDescription) -> ClassifierActivation = { _ in
    .none
  }
  /// Whether a result takes several runs of the model.
  package private(set) var repeatsRuns = false
  /// The names of the inputs that the task passes, in place of the caller.
  package private(set) var passedInputs: @Sendable (TaskDescription) -> Set<String> = { _ in [] }
  /// Whether a model without a task has this one.
  package private(set) var isImplied: @Sendable (ModelDescription) -> Bool = { _ in false }
  /// What performs the task.
  package var implementation: (any AnyObject & Sendable)?
  private let makeInterface: @Sendable () -> TaskInterface?
  private let makeSettings: @Sendable () -> [Field<TaskSettings>]

  /// Creates the format of a task.
  ///
  /// - Parameters:
  ///   - names: The names of the task in `model.json`, which are synonyms.
  ///   - outputs: The roles of the outputs that the task requires, which may be roles of its own.
  ///   - settings: The settings.
  public init<each Value>(
    _ names: String..., outputs: [OutputRole], settings: repeat TaskSetting<each Value>
  ) {
    self.names = names
    requiredOutputs = outputs.map { .role($0) }
    roles = outputs
    var fields: [Field<TaskSettings>] = []
    for setting in repeat each settings { fields.append(setting.field) }
    makeSettings = { [fields] in fields }
    makeInterface = { nil }
  }

  /// Creates the format of a task of the library.
  package init(
    _ names: String..., requiredOutputs: [OutputRequirement], returning runOutputs: [Layer]? = nil,
    repeatsRuns: Bool = false,
    passing passedInputs: @escaping @Sendable (TaskDescription) -> Set<String> = { _ in [] },
    interface: @autoclosure @escaping @Sendable () -> TaskInterface? = nil,
    isImplied: @escaping @Sendable (ModelDescription) -> Bool = { _ in false },
    hasLabeledScores: @escaping @Sendable (TaskDescription) -> Bool = { _ in false },
    activation: @escaping @Sendable (TaskDescription) -> ClassifierActivation = { _ in .none },
    @FieldBuilder<TaskSettings> settings: @escaping @Sendable () -> [Field<TaskSettings>]
  ) {
    (self.names, self.requiredOutputs, makeInterface) = (names, requiredOutputs, interface)
    (self.isImplied, self.hasLabeledScores) = (isImplied, hasLabeledScores)
    (self.runOutputs, self.activation) = (runOutputs, activation)
    (self.passedInputs, self.repeatsRuns) = (passedInputs, repeatsRuns)
    makeSettings = settings
  }

  /// Whether outputs have all that the task requires with default settings.
  func isSatisfied(by outputs: [Layer]) -> Bool {
    let task = TaskDescription(type: names[0])
    return requiredOutputs.allSatisfy { $0.isSatisfied(outputs, task) }
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

/// The settings of a task, whose values are kept in ``TaskDescription/settings``.
package struct TaskSettings: Sendable {
  /// Creates a value, which holds nothing.
  package init() {}
}

extension Field<TaskSettings> {
  /// Creates a setting; `absence` is what a missing one means, for the reference.
  package init<Value: Sendable>(
    _ key: String, _ format: @autoclosure @escaping Format<Value>,
    otherwise absence: @autoclosure @escaping @Sendable () -> String = "none", _ summary: String
  ) {
    self = Field.unkept(key, format(), summary).otherwise(absence())
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
