import Foundation
import TensorIOTestSupport
import Testing

/// Scripts depend on the codes of errors, so each of them is told on a page.
@Suite struct ErrorCodePageTests {
  /// The texts that stand for codes in the sources: what a `code` returns, and what a failure of
  /// the command line is made of.
  static let codes: [String] = {
    let files = FileManager.default.enumerator(atPath: ProjectFiles.path("Sources"))
    let names = (files?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".swift") }
    return Set(names.flatMap { codes(inFile: ProjectFiles.path("Sources/\($0)")) }).sorted()
  }()

  private static func codes(inFile path: String) -> [String] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
    let bodies = text.matches(
      of: #/var code: String \{\n(?<body>.*?)\n  \}\n/#.dotMatchesNewlines()
    ).map { String($0.body) }
    let returned = bodies.flatMap { $0.matches(of: #/"(?<code>[a-z-]+)"/#).map { $0.code } }
    let made = text.matches(
      of: #/(?:OperationError|\.input|DataDiagnostic)\(\s*(?:code: )?"(?<code>[a-z-]+)",/#
    )
    .map { $0.code }
    return (returned + made).map(String.init)
  }

  @Test func `codes are found where they are made`() {
    #expect(Self.codes.count > 50)
    for code in ["missing-folder", "unknown-picture-format", "archive-link", "cannot-install"] {
      #expect(Self.codes.contains(code))
    }
  }

  @Test(arguments: codes)
  func `a code is listed in the documentation`(code: String) throws {
    let pages = try ["CommandLine", "ModelJSON", "Data"].map {
      try String(contentsOfFile: ProjectFiles.path("Documentation/\($0).md"), encoding: .utf8)
    }
    #expect(pages.contains { $0.contains("`\(code)`") }, "\(code)")
  }
}
