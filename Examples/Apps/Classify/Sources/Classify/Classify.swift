import Foundation
import TensorIO

/// Classifies images: `Classify BUNDLE IMAGE…`.
///
/// Images are decoded and classified in parallel, and printed in the order of the arguments.
@main
struct Classify {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 2 else {
      print("usage: Classify BUNDLE IMAGE…")
      exit(2)
    }
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let model = try Model(
      at: arguments[0], options: OpeningOptions(threads: 1, sessions: processors))
    let paths = arguments.dropFirst()
    let lines = await withTaskGroup(of: (Int, String).self) { group in
      for (index, path) in paths.enumerated() {
        group.addTask { (index, await line(for: path, model)) }
      }
      var lines: [Int: String] = [:]
      for await (index, line) in group { lines[index] = line }
      return lines
    }
    for index in lines.keys.sorted() { print(lines[index] ?? "") }
  }

  /// Returns a line with the three best labels of an image, or with the error.
  private static func line(for path: String, _ model: Model) async -> String {
    do {
      // The bytes of the file are decoded no larger than the model needs.
      let file = try Data(contentsOf: URL(filePath: path))
      let best = try await model.submit(file).classes { $0.top = 3 }
      let labels = best.map { "\($0.label) \(($0.score * 100).rounded())%" }
      return "\(path): \(labels.joined(separator: ", "))"
    } catch {
      return "\(path): \(error.localizedDescription)"
    }
  }
}
