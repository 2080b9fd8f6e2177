import Foundation
import TensorIOJSON
import TensorIOSystem
import TensorIOTemplates
import TensorIOTestSupport
import Testing

/// Comparisons with what Jinja for Python renders with the settings of `transformers`.
///
/// `Scripts/fixtures/golden/make-templates.py` writes the fixture, and more cases for `Scripts/check/templates`.
struct ChatTemplateGoldenTests {
  /// A file of more cases.
  private static let moreCases = ProcessInfo.processInfo.environment["TENSORIO_TEMPLATE_CASES"]

  /// A template with its output, or none if Jinja reports an error.
  private struct Case {
    let template: String
    let variables: [JSONValue.Member]
    let output: String?
    /// The number of scalars of an output that the file leaves out.
    let length: Int?
  }

  private static func cases() throws -> [Case] {
    let path = moreCases ?? ProjectFiles.path("Tests/Fixtures/Templates/jinja.json")
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let file = try JSONDocument(parsing: bytes, limits: JSONLimits(bytes: bytes.count)).root.value
    let shared = file["context"]?.members ?? []
    let items = file["cases"]?.elements ?? []
    return items.map { (item: JSONValue) -> Case in
      Case(
        template: item["template"]?.string ?? "",
        variables: item["context"]?.members ?? shared, output: item["output"]?.string,
        length: item["length"]?.int)
    }
  }

  @Test func `Texts and errors equal those of Jinja`() throws {
    let cases = try Self.cases()
    #expect(Self.moreCases != nil || cases.count == 65)
    for item in cases {
      let expected = item.output?.debugDescription ?? "an error"
      do throws(TemplateError) {
        let template = try ChatTemplate(item.template)
        let text = try template.render(item.variables, at: UTCTimestamp(unixNanoseconds: 0))
        if let length = item.length {
          #expect(text.unicodeScalars.count == length)
        } else {
          let isEqual = item.output.map { $0.utf8.elementsEqual(text.utf8) } ?? false
          #expect(
            isEqual, "\(item.template)\nrendered \(text.debugDescription)\nexpected \(expected)")
        }
      } catch {
        let isExpected = item.output == nil && item.length == nil
        #expect(isExpected, "\(item.template)\nfailed: \(error)\nexpected \(expected)")
      }
    }
  }
}
