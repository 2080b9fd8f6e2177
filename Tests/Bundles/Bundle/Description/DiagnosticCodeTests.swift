import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON

@Suite struct DiagnosticCodeTests {
  private static let documentation = ProjectFiles.root.appending(
    path: "Documentation/ModelJSON.md")

  /// The codes of descriptions: those of JSON, and those of the rules.
  static let all = Set(
    DiagnosticCode.allCases.map(\.rawValue) + JSONError.Code.allCases.map(\.rawValue)
  ).sorted()

  @Test(arguments: all)
  func `A code is in kebab-case and documented`(code: String) throws {
    let text = try String(contentsOf: Self.documentation, encoding: .utf8)
    #expect(code.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
    #expect(text.contains("| `\(code)` |"))
  }
}
