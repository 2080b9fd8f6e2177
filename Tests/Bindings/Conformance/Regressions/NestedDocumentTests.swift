import TensorIOTestSupport
import Testing

/// JSON files named by arguments, which in turn name other files.
@Suite struct NestedDocumentTests {
  static let bundle = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle")

  @Test func `A file that refers to itself is an error`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/itself.json"
    _ = try folder.write("\"@\(path)\"", to: "itself.json")
    let outcome = TestConsole.run(["run", Self.bundle, "@\(path)"])
    #expect(outcome.exitCode == 4)
    #expect(outcome.messages.contains("files refer to each other more than 4 levels deep"))
  }

  @Test func `A JSON file can refer to a file with a layer's numbers`() throws {
    let folder = try TemporaryFolder()
    let numbers = try folder.write("[0,0,0,0,0,0,0,0,0,0]", to: "numbers.json")
    let input = try #require(try JSONTree(contentsOf: "\(Self.bundle)/model.json")["inputs"]?.array)
    let name = try #require(input.first?["name"]?.string)
    let document = try folder.write("{\"\(name)\": \"@\(numbers)\"}", to: "named.json")
    #expect(TestConsole.run(["run", Self.bundle, "@\(document)"]).exitCode == 0)
  }

  @Test(arguments: ["\"2\"", "[\"2\"]", "\"-\""])
  func `A string in JSON is not a number`(_ text: String) {
    let outcome = TestConsole.run(["run", Self.bundle, text])
    #expect(outcome.exitCode == 4)
    #expect(outcome.messages.contains("expected numbers, got the string"))
  }

  @Test func `Rows of different lengths have a specific error`() {
    let outcome = TestConsole.run(["run", Self.bundle, "[[1,2,3,4,5],[6,7,8,9]]"])
    #expect(outcome.exitCode == 4)
    #expect(outcome.messages.contains("expected 5 elements, as in the first row, found 4"))
  }
}
