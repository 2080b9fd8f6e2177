package import TensorIOJSON

/// A setting of a task: its key in `model.json`, its default, and what it means.
///
/// The parser, the schema, the reference and the error messages follow from the declaration. Read the value with the
/// subscript of ``ModelInfo``.
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
  private let convert: @Sendable (JSONValue) -> Value?
  private var makeField: @Sendable () -> Field<TaskSettings>

  /// Creates a setting; `convert` returns the value of JSON that has the format.
  package init(
    _ key: String, _ format: @autoclosure @escaping Field<TaskSettings>.Format<Value>,
    default value: Value, _ summary: String, convert: @escaping @Sendable (JSONValue) -> Value?
  ) {
    (self.key, defaultValue, self.convert) = (key, value, convert)
    makeField = { Field.unkept(key, format(), default: value, summary) }
  }

  /// The field of the object in `model.json`.
  package var field: Field<TaskSettings> { makeField() }

  /// Returns the setting with an example for the reference, as JSON text.
  package consuming func example(_ text: String) -> TaskSetting {
    let make = makeField
    makeField = { make().example(text) }
    return self
  }

  /// Returns the value in the settings of a bundle; without one, `other`, which another setting may determine, or the default.
  package func value(in task: TaskDescription?, otherwise other: Value? = nil) -> Value {
    task?.settings[key].flatMap(convert) ?? other ?? defaultValue
  }
}

extension TaskSetting
where Value: RawRepresentable & CaseIterable & Equatable, Value.RawValue == String {
  /// Returns one of the cases of an enumeration.
  package static func choice(
    _ key: String, default value: Value, _ summary: String
  ) -> TaskSetting {
    TaskSetting(
      key, .choice(), default: value, summary, convert: { $0.string.flatMap(Value.init) })
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
      key, .number(in: range), default: value, summary,
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
      key, .integer(range), default: value, summary, convert: \.int)
  }

  /// Returns an integer of at least 1.
  package static func count(_ key: String, default value: Int, _ summary: String) -> TaskSetting {
    TaskSetting(key, .count, default: value, summary, convert: \.int)
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
    TaskSetting(key, .boolean, default: value, summary, convert: \.bool)
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
      key, choices.isEmpty ? .string : .choice(of: choices), default: value, summary,
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
      key, .strings, default: value, summary,
      convert: { $0.elements?.compactMap(\.string) })
  }
}
