import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

@Suite struct DiagnosticCodeTests {
  private static let documentation = ProjectFiles.root.appending(
    path: "Documentation/ModelJSON.md")

  @Test(arguments: DiagnosticCode.allCases)
  func `A code is in kebab-case and documented`(code: DiagnosticCode) throws {
    let text = try String(contentsOf: Self.documentation, encoding: .utf8)
    #expect(code.rawValue.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
    #expect(text.contains("| `\(code.rawValue)` |"))
  }
}
