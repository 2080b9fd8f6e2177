import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

/// `tensorio explain` on the example bundles.
@Suite(.ownThreads) struct ExplainTests {
  private static let digits = ProjectFiles.path("Examples/Bundles/digits.tiobundle")
  private static let three = ProjectFiles.path("Examples/Data/digits-held-out/3/013.png")
  private static let topics = ProjectFiles.path("Examples/Bundles/topics.tiobundle")
  private static let diabetes = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle")
  private static let patient = "@\(diabetes)/samples/patient-1.json"

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: ["occlusion", "rise"])
  func `Pixels of a digit are drawn`(_ method: String) throws {
    let path = "\(folder.path)/explained.png"
    let outcome = TestConsole.run([
      "explain", Self.digits, Self.three, "--method", method, "--masks", "200", "-o", path,
      "--format", "json",
    ])
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    let report = try outcome.json()
    #expect(report["target"]?.string == "3" && report["method"]?.string == method)
    #expect(report["score"]?.number ?? 0 > 0.9 && report["output"]?.string == path)
    let rows = try #require(report["importance"]?.array)
    #expect(rows.count <= 64 && rows.allSatisfy { $0.array?.count == rows[0].array?.count })
    let drawing = try ImageBuffer(contentsOf: path)
    #expect(max(drawing.width, drawing.height) >= 256)
    // The stroke is more important than the corners, which are empty.
    let values = rows.map { $0.array?.compactMap(\.number) ?? [] }
    let largest = values.joined().max() ?? 0
    #expect(values[0][0] < largest / 2 + (method == "rise" ? largest / 2 : 0))
  }

  @Test func `Words are listed`() throws {
    let report = try TestConsole.run([
      "explain", Self.topics, "Please delete my account", "--format", "json",
    ]).json()
    let parts = try #require(report["parts"]?.array)
    #expect(parts.map { $0["name"]?.string } == ["Please", "delete", "my", "account"])
    #expect(report["target"]?.string == "account" && report["method"]?.string == "deletion")
    let best = parts.max { $0["importance"]?.number ?? 0 < $1["importance"]?.number ?? 0 }
    #expect(best?["name"]?.string == "account" || best?["name"]?.string == "delete")
  }

  @Test func `The parts of numbers add up`() throws {
    var rows = ""
    for index in 1...6 {
      let sample = try JSONTree(contentsOf: "\(Self.diabetes)/samples/patient-\(index).json")
      let numbers = sample["features"]?.array?.compactMap(\.number) ?? []
      rows += #"{"features": \#(numbers)}"# + "\n"
    }
    let background = try folder.write(rows, to: "patients.ndjson")
    let outcome = TestConsole.run([
      "explain", Self.diabetes, Self.patient, "--background", background, "--format", "json",
    ])
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    let report = try outcome.json()
    let parts = try #require(report["parts"]?.array)
    let sum = parts.compactMap { $0["importance"]?.number }.reduce(0, +)
    let score = try #require(report["score"]?.number)
    let base = try #require(report["base_score"]?.number)
    #expect(parts.count == 10 && isClose(sum, to: score - base, within: 1e-3))
    #expect(parts[0]["value"]?.number == 61)
    let text = TestConsole.run([
      "explain", Self.diabetes, Self.patient, "--background", background,
    ])
    #expect(text.lines.count == 11 && text.lines[0].hasPrefix("progression: "))
  }

  @Test(arguments: [
    ([digits], "missing <input>"), ([], "missing <bundle>"),
    ([digits, three, "--metric", "top1"], "--metric requires --data"),
    ([digits, three, "--data", "x.csv"], "takes no <input>"),
    ([digits, three, "-o", "x.jpg"], "ending in .png"),
    ([digits, "--data", "x.csv", "--method", "rise"], "use permutation with --data"),
    ([digits, three, "--method", "lime"], "occlusion, rise, deletion, shapley"),
    ([digits, three, three], "one input is explained at a time"),
    ([diabetes, patient, "--background", "", "-o", "x.png"], ""),
  ])
  func `Invalid arguments are usage errors`(_ words: [String], _ message: String) {
    let outcome = TestConsole.run(["explain"] + words)
    #expect(outcome.exitCode != 0)
    if !message.isEmpty { #expect(outcome.exitCode == 2 && outcome.messages.contains(message)) }
  }

  @Test(arguments: [
    ([digits, three, "--method", "deletion"], "does not apply to an image; use occlusion or rise"),
    ([topics, "my account", "--method", "rise"], "does not apply to a text; use deletion"),
    ([diabetes, patient, "--method", "permutation"], "does not apply to numbers; use shapley"),
  ])
  func `A method for other inputs is rejected with those that apply`(
    _ words: [String], _ message: String
  ) {
    let outcome = TestConsole.run(["explain"] + words)
    #expect(outcome.exitCode == 4 && outcome.messages.contains(message), "\(outcome.messages)")
  }

  @Test func `The method of the input can be named`() throws {
    let report = try TestConsole.run([
      "explain", Self.topics, "Please delete my account", "--method", "deletion", "--format",
      "json",
    ]).json()
    #expect(report["method"]?.string == "deletion" && report["parts"]?.array?.count == 4)
  }

  @Test func `What cannot be explained is an error`() throws {
    let alone = TestConsole.run(["explain", Self.diabetes, Self.patient])
    #expect(alone.exitCode == 4 && alone.messages.contains("requires a background"))
    let label = TestConsole.run(["explain", Self.digits, Self.three, "--target", "ten"])
    #expect(label.exitCode != 0 && label.messages.contains("'ten'"))
    let image = TestConsole.run([
      "explain", ProjectFiles.path("Examples/Bundles/negative.tiobundle"), Self.three,
    ])
    #expect(image.exitCode != 0)
    let data = TestConsole.run([
      "explain", Self.digits, "--data", ProjectFiles.path("Examples/Data/digits-held-out"),
    ])
    #expect(data.exitCode == 4 && data.messages.contains("numbers as the inputs"))
  }
}
