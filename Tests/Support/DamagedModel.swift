import Foundation

/// A model that crashes or hangs LiteRT when it loads or runs it without validation.
///
/// `Scripts/fixtures/tiny-models/hostile.py` found them; `Tests/Fixtures/Models/hostile.txt` lists them as changes of
/// models of the project.
public struct DamagedModel: Sendable, CustomStringConvertible {
  /// What the runtime does with a model.
  public enum Effect: String, Sendable {
    /// The process ends.
    case death
    /// The process computes or allocates without end.
    case hang
  }

  public let effect: Effect
  private let model: String
  private let mutation: Mutation

  public var description: String { "\(model), \(mutation)" }

  /// All listed models.
  public static let all: [DamagedModel] = {
    let path = ProjectFiles.path("Tests/Fixtures/Models/hostile.txt")
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { DamagedModel(line: $0.split(separator: " ")) }
  }()

  /// The model's bytes.
  public func bytes() throws -> [UInt8] {
    mutation.apply(to: [UInt8](try Data(contentsOf: URL(filePath: ProjectFiles.path(path)))))
  }

  private var path: String {
    model.hasSuffix(".tflite")
      ? "Tests/Fixtures/Models/\(model)" : "Tests/Fixtures/Conformance/\(model)/model.tflite"
  }

  /// Parses `EFFECT MODEL bit NUMBER` or `EFFECT MODEL word OFFSET VALUE`.
  private init?(line: [Substring]) {
    guard line.count >= 4, let effect = Effect(rawValue: String(line[0])), let number = Int(line[3])
    else { return nil }
    switch (line[2], line.count) {
    case ("bit", 4): mutation = .bit(number)
    case ("word", 5):
      guard let word = UInt32(line[4]) else { return nil }
      mutation = .word(number, word)
    default: return nil
    }
    self.effect = effect
    model = String(line[1])
  }
}
