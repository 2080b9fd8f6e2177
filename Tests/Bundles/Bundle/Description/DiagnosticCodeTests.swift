import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON

@Suite struct DiagnosticCodeTests {
  private static let documentation = ProjectFiles.root.appending(
    path: "Documentation/ModelJSON.md")

  @Test(arguments: DiagnosticCode.allCases)
  func `A code is in kebab-case and documented`(code: DiagnosticCode) throws {
    let text = try String(contentsOf: Self.documentation, encoding: .utf8)
    #expect(code.rawValue.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
    #expect(text.contains("| `\(code.rawValue)` |"))
  }

  @Test(arguments: JSONError.Code.allCases)
  func `Every error code of JSON is a diagnostic code of the same name`(code: JSONError.Code) {
    #expect(DiagnosticCode(rawValue: code.rawValue) != nil)
  }
}
