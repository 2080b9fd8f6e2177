import TensorIOJSON

/// A setting of an application's task: its key in `model.json`, its default, and what it means.
///
/// The parser, the schema and the error messages follow from the declaration. Read the value with the subscript of
/// ``ModelInfo``.
///
/// ```swift
/// import TensorIO
///
/// let minimumScore = TaskSetting.number(
///   "min_score", in: .fraction, default: 0.5, "The minimum score of a line.")
/// ```
public struct TaskSetting<Value: Sendable>: Sendable {
  /// The key in `model.json`.
  public let key: String
  /// The value if the bundle has none.
  public let defaultValue: Value
  /// The field of the object in `model.json`.
  package let field: Field<TaskSettings>
  private let convert: @Sendable (JSONValue) -> Value?

  fileprivate init<Read>(
    _ key: String, _ format: @autoclosure @escaping Field<TaskSettings>.Format<Read>,
    default value: Value, _ summary: String, convert: @escaping @Sendable (JSONValue) -> Value?
  ) {
    (self.key, defaultValue, self.convert) = (key, value, convert)
    field = Field(key, format(), otherwise: "`\(value)`", summary)
  }

  /// Returns the value in the settings of a bundle, or the default.
  package func value(in task: TaskDescription?) -> Value {
    task?.settings[key].flatMap(convert) ?? defaultValue
  }
}

extension TaskSetting<Float> {
  /// Returns a number.
  ///
  /// - Parameters:
  ///   - key: The key in `model.json`, in snake case.
  ///   - range: The values that are allowed.
  ///   - value: The value if the bundle has none.
  ///   - summary: What the setting means, as a sentence.
  /// - Returns: The setting.
  public static func number(
    _ key: String, in range: NumberRange = .unlimited, default value: Float, _ summary: String
  ) -> TaskSetting {
    TaskSetting(
      key, ValueFormat<Float>.number(in: range), default: value, summary,
      convert: { $0.double.map(Float.init) })
  }
}

extension TaskSetting<Int> {
  /// Returns an integer.
  ///
  /// - Parameters:
  ///   - key: The key in `model.json`, in snake case.
  ///   - range: The values that are allowed.
  ///   - value: The value if the bundle has none.
  ///   - summary: What the setting means, as a sentence.
  /// - Returns: The setting.
  public static func integer(
    _ key: String, in range: ClosedRange<Int> = 1...1 << 20, default value: Int, _ summary: String
  ) -> TaskSetting {
    TaskSetting(
      key,
      ValueFormat<Int>.integer(range), default: value, summary, convert: \.int)
  }
}

extension TaskSetting<Bool> {
  /// Returns a setting that is on or off.
  ///
  /// - Parameters:
  ///   - key: The key in `model.json`, in snake case.
  ///   - value: The value if the bundle has none.
  ///   - summary: What the setting means, as a sentence.
  /// - Returns: The setting.
  public static func flag(_ key: String, default value: Bool = false, _ summary: String)
    -> TaskSetting
  {
    TaskSetting(key, ValueFormat<Bool>.boolean, default: value, summary, convert: \.bool)
  }
}

extension TaskSetting<String> {
  /// Returns a text, or one of some choices.
  ///
  /// - Parameters:
  ///   - key: The key in `model.json`, in snake case.
  ///   - choices: The values that are allowed; empty for every text.
  ///   - value: The value if the bundle has none.
  ///   - summary: What the setting means, as a sentence.
  /// - Returns: The setting.
  public static func text(
    _ key: String, of choices: [String] = [], default value: String, _ summary: String
  ) -> TaskSetting {
    TaskSetting(
      key, choices.isEmpty ? ValueFormat<String>.string : .choice(of: choices), default: value,
      summary,
      convert: \.string)
  }
}

extension TaskSetting<[String]> {
  /// Returns a list of texts.
  ///
  /// - Parameters:
  ///   - key: The key in `model.json`, in snake case.
  ///   - value: The value if the bundle has none.
  ///   - summary: What the setting means, as a sentence.
  /// - Returns: The setting.
  public static func texts(_ key: String, default value: [String] = [], _ summary: String)
    -> TaskSetting
  {
    TaskSetting(
      key, ValueFormat<[String]>.strings, default: value, summary,
      convert: { $0.elements?.compactMap(\.string) })
  }
}
