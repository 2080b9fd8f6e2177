public import TensorIOJSON

/// The task that a bundle declares, which determines the meaning of its outputs.
///
/// The settings are interpreted by the task that has the name.
public struct TaskDescription: Sendable {
  /// The name of the task, such as `detection`.
  public var type: String
  /// The settings by key.
  public var settings: [String: JSONValue]
  /// What the task declares; `nil` for a task that the reader did not know, and for one created in code.
  package var format: TaskFormat?

  /// Creates a task.
  ///
  /// - Parameters:
  ///   - type: The name of the task.
  ///   - settings: The settings by key.
  public init(type: String, settings: [String: JSONValue] = [:]) {
    self.type = type
    self.settings = settings
  }
}

extension TaskDescription: Hashable {
  /// Returns whether the names and the settings are equal.
  public static func == (left: TaskDescription, right: TaskDescription) -> Bool {
    left.type == right.type && left.settings == right.settings
  }

  /// Hashes the name and the settings.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(settings)
  }
}
