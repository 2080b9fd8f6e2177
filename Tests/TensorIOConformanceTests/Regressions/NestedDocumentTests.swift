import TensorIOTestSupport
import Testing

/// Files of JSON that an argument names, and that name files in turn.
@Suite struct NestedDocumentTests {
  static let bundle = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle")

  @Test func `a file that names itself is an error, not an endless run`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/itself.json"
    _ = try folder.write("\"@\(path)\"", to: "itself.json")
    let outcome = TestConsole.run(["run", Self.bundle, "@\(path)"])
    #expect(outcome.exitCode == 4)
    #expect(outcome.messages.contains("name one another too deeply"))
  }

  @Test func `a file may name the file that holds a layer's numbers`() throws {
    let folder = try TemporaryFolder()
    let numbers = try folder.write("[0,0,0,0,0,0,0,0,0,0]", to: "numbers.json")
    let input = try #require(try JSONTree(contentsOf: "\(Self.bundle)/model.json")["inputs"]?.array)
    let name = try #require(input.first?["name"]?.string)
    let document = try folder.write("{\"\(name)\": \"@\(numbers)\"}", to: "named.json")
    #expect(TestConsole.run(["run", Self.bundle, "@\(document)"]).exitCode == 0)
  }

  @Test(arguments: ["\"2\"", "[\"2\"]", "\"-\""])
  func `a text inside JSON is no number`(_ text: String) {
    let outcome = TestConsole.run(["run", Self.bundle, text])
    #expect(outcome.exitCode == 4)
    #expect(outcome.messages.contains("expected numbers, got the text"))
  }

  @Test func `rows of different lengths are named as such`() {
    let outcome = TestConsole.run(["run", Self.bundle, "[[1,2,3,4,5],[6,7,8,9]]"])
    #expect(outcome.exitCode == 4)
    #expect(outcome.messages.contains("expected 5 elements, as in the first row, found 4"))
  }
}
