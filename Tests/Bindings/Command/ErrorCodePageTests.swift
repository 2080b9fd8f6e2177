import Foundation
import TensorIOTestSupport
import Testing

/// Every error code is documented, since scripts depend on them.
@Suite struct ErrorCodePageTests {
  /// The codes in the sources: those declared for errors of models, the values of `code` properties,
  /// and the arguments of error initializers; without that of an example.
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
    let declared = text.matches(of: #/= Code\(\s*"(?<code>[a-z-]+)"/#).map { $0.code }
    return (returned + made + declared).filter { $0 != "device-lost" }.map(String.init)
  }

  @Test func `Error codes are found in the sources`() {
    #expect(Self.codes.count > 50)
    for code in [
      "missing-folder", "unknown-image-format", "archive-special-file", "install-failed",
      "database-busy", "wrong-count",
    ] {
      #expect(Self.codes.contains(code))
    }
  }

  @Test(arguments: codes)
  func `Every error code is documented`(code: String) throws {
    let pages = try ["CommandLine", "ModelJSON", "Data"].map {
      try String(contentsOfFile: ProjectFiles.path("Documentation/\($0).md"), encoding: .utf8)
    }
    #expect(pages.contains { $0.contains("`\(code)`") }, "\(code)")
  }
}
