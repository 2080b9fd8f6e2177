import Foundation
import TensorIOTestSupport
import Testing

/// Compares output with the files in `Tests/Fixtures/Command`.
enum Golden {
  static let folder = "Tests/Fixtures/Command"

  /// Compares a text with a file, or writes the file if `TENSORIO_RECORD` is set.
  static func expect(
    _ text: String, toBe name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let path = ProjectFiles.path("\(folder)/\(name)")
    if ProcessInfo.processInfo.environment["TENSORIO_RECORD"] != nil {
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    }
    let expected = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text == expected, "\(name)", sourceLocation: sourceLocation)
  }
}

extension String {
  /// Returns the text without timings and the path of the test folder.
  func masked(_ folder: TemporaryFolder? = nil) -> String {
    var text = self
    if let folder { text = text.replacing(folder.path, with: "FOLDER") }
    return text.replacing(#/"timing_ms":\s*\{[^}]*\}/#, with: "\"timing_ms\":{…}")
      .replacing(#/image [\d.]+ · input .* ms/#, with: "image … ms")
  }
}
