import TensorIOBundle
import TensorIOJSON

/// Settings that several tasks have.
extension Field<TaskSettings> {
  /// The maximum number of results.
  static func top(_ results: String) -> Field {
    Field("top", .count, "The maximum number of \(results), at least 1.").example("10")
  }

  static let allow = Field("allow", .strings, otherwise: "all", "The labels to include.")
    .example("[\"person\"]")

  static let deny = Field("deny", .strings, "The labels to exclude; takes precedence over `allow`.")
    .example("[\"background\"]")

  static let keypoints = Field("keypoints", .strings, "The names of the keypoints, in order.")
    .example("[\"wrist\", \"thumb\"]")
}

extension TaskSetting<ImageOutputOptions.Size> {
  /// The size of a result with a value for each pixel.
  static func size(default value: Value) -> TaskSetting {
    choice(
      "size", default: value,
      "The size of the output, or that of the input image with the fit undone."
    ).example("\"original\"")
  }
}

extension TaskSetting<Float> {
  /// Returns the value with all digits of the JSON, or of the source code.
  func double(in task: TaskDescription?) -> Double {
    task?.settings[key]?.double ?? Double("\(defaultValue)") ?? Double(defaultValue)
  }
}
