import Foundation

/// A copy of the tiny speech model of the fixtures with a model of voices, in a temporary folder.
public struct SpeakerBundle: Sendable {
  /// The path of the bundle.
  public let path: String
  private let folder: TemporaryFolder

  /// Creates a bundle.
  ///
  /// - Parameters:
  ///   - function: The name of the function that the task names as the model of voices; that of the bundle is `voices`.
  ///   - threshold: The maximum distance of the voices of one person.
  ///   - settings: Other settings of the task.
  /// - Throws: An error if the fixtures cannot be read.
  public init(
    function: String = "voices", threshold: Double = 0.02, settings: [String: any Sendable] = [:]
  ) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/meeting.tiobundle"
    let bundles = ProjectFiles.path("Tests/Fixtures/Bundles")
    try FileManager.default.copyItem(atPath: "\(bundles)/speech.tiobundle", toPath: path)
    try FileManager.default.copyItem(
      atPath: "\(bundles)/speaker.tiobundle/model.onnx", toPath: path + "/voices.onnx")
    var description = try Self.object(path)
    let speaker = try Self.object("\(bundles)/speaker.tiobundle")
    var task = description["task"] as? [String: Any] ?? [:]
    task["speakers"] = function
    for (key, value) in settings { task[key] = value }
    var functions = description["functions"] as? [String: Any] ?? [:]
    var embedding = speaker["task"] as? [String: Any] ?? [:]
    embedding["threshold"] = threshold
    functions["voices"] = [
      "file": "voices.onnx", "inputs": speaker["inputs"] ?? [], "outputs": speaker["outputs"] ?? [],
      "task": embedding,
    ]
    (description["task"], description["functions"]) = (task, functions)
    try JSONSerialization.data(withJSONObject: description)
      .write(to: URL(filePath: path + "/model.json"))
  }

  private static func object(_ path: String) throws -> [String: Any] {
    let data = try Data(contentsOf: URL(filePath: path + "/model.json"))
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }
}
