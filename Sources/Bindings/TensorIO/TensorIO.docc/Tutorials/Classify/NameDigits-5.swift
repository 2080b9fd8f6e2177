import Foundation
import TensorIO

@main
struct NameDigits {
  static func main() async throws {
    let sessions = ProcessInfo.processInfo.activeProcessorCount
    let model = try Model(
      at: CommandLine.arguments[1],
      options: OpeningOptions(threads: 1, sessions: sessions))
    let paths = CommandLine.arguments.dropFirst(2)
    let results = await withTaskGroup(of: (String, String).self) { group in
      for path in paths {
        group.addTask { (path, await result(for: path, model)) }
      }
      var results: [String: String] = [:]
      for await (path, result) in group { results[path] = result }
      return results
    }
    for path in paths { print("\(path): \(results[path] ?? "")") }
  }

  /// Returns the three best labels of an image, or the reason why there are none.
  private static func result(for path: String, _ model: Model) async -> String {
    do {
      let file = try Data(contentsOf: URL(filePath: path))
      let best = try await model.submit(file).classes { $0.top = 3 }
      let labels = best.map { "\($0.label) \(Int(($0.score * 100).rounded()))%" }
      return labels.joined(separator: ", ")
    } catch {
      return "\(error)"
    }
  }
}
