import TensorIOTestSupport
import Testing

@testable import TensorIOCore
@testable import TensorIOLibrary

@Suite struct SettingsTests {
  private static let text = """
    {
      "default_model": "digits",
      "threads": 2,
      "top": 3,
      "protected": [
        "cats",
        "digits"
      ]
    }

    """

  private func settings(_ text: String) throws -> Settings {
    try Settings(parsing: Array(text.utf8), path: "settings.json")
  }

  @Test func `The text of settings is stable`() throws {
    let settings = try settings(Self.text)
    #expect(settings.defaultModel == "digits" && settings.threads == 2 && settings.top == 3)
    #expect(settings.protectedModels == ["digits", "cats"])
    #expect(String(decoding: settings.json, as: UTF8.self) == Self.text)
  }

  @Test func `Missing settings have defaults, and unknown ones are ignored`() throws {
    let settings = try settings("{\"theme\": null}")
    #expect(settings.defaultModel == nil && settings.threads == nil && settings.top == nil)
    #expect(settings.protectedModels == [])
    #expect(String(decoding: settings.json, as: UTF8.self) == "{\n  \"protected\": []\n}\n")
  }

  @Test(arguments: [
    ("[]", "expected a JSON object"),
    ("{\"default_model\": 1}", "line 1, column 19: 'default_model' must be a string"),
    ("{\n\"threads\": 0}", "line 2, column 12: 'threads' must be a positive integer"),
    ("{\"threads\": \"2\"}", "line 1, column 13: 'threads' must be a positive integer"),
    ("{\"top\": 1.5}", "line 1, column 9: 'top' must be a positive integer"),
    ("{\"top\": -9223372036854775808}", "line 1, column 9: 'top' must be a positive integer"),
    ("{\"top\": 1e99}", "line 1, column 9: 'top' must be a positive integer"),
    ("{\"protected\": 1}", "line 1, column 15: 'protected' must be an array of strings"),
    ("{\"protected\": [1]}", "line 1, column 15: 'protected' must be an array of strings"),
    ("{\"top\": 0, \"threads\": 0}", "line 1, column 23: 'threads' must be a positive integer"),
  ])
  func `The first invalid setting is reported with its position`(
    _ text: String, _ problem: String
  ) throws {
    let error = #expect(throws: OperationError.self) { try settings(text) }
    #expect(error?.message == "settings.json: \(problem); correct or remove the file")
  }
}
