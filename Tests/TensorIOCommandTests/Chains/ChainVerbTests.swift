import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

/// `tensorio validate` and `inspect` on chains, and what the other verbs say of them.
@Suite struct ChainVerbTests {
  private let folder: TemporaryFolder
  private var chain: String { "\(folder.path)/faces.tiochain" }
  private static let bundles = ["face-detector", "face-embedder"]

  init() throws {
    folder = try TemporaryFolder()
    for name in Self.bundles {
      _ = try folder.copy(
        ProjectFiles.path("Examples/Bundles/\(name).tiobundle"), as: "\(name).tiobundle")
    }
    try write { $0 }
  }

  /// The chain of the examples, changed.
  private func write(_ change: (String) -> String) throws {
    let text = try String(
      contentsOfFile: ProjectFiles.path("Examples/Bundles/faces.tiochain/chain.json"),
      encoding: .utf8)
    try folder.write(change(text), to: "faces.tiochain/chain.json")
  }

  private func problems(exit: Int32 = 3) throws -> [String] {
    let outcome = TestConsole.run(["validate", chain, "--format", "json"])
    #expect(outcome.exitCode == exit, "\(outcome)")
    let report = try outcome.json()
    #expect(report["valid"]?.bool == (exit == 0))
    return (report["problems"]?.array ?? []).map { problem in
      "\(problem["code"]?.string ?? "") \(problem["path"]?.string ?? "")"
    }
  }

  @Test(arguments: ProjectFiles.entries(of: "Examples/Bundles", suffix: ".tiochain"))
  func `a chain of the examples is valid without a warning`(_ chain: String) {
    let outcome = TestConsole.run(["validate", chain, "--strict"])
    #expect(outcome.exitCode == 0 && outcome.lines == ["\(chain): valid"], "\(outcome)")
  }

  static let faults: [(part: String, wrong: String, expected: String)] = [
    ("face-detector.tiobundle", "face-finder.tiobundle", "missing-bundle /steps/0/bundle"),
    (#""image": "picture""#, #""imagge": "picture""#, "unknown-input /steps/0/inputs/imagge"),
    (#""image": "picture""#, #""imagge": "picture""#, "missing-key /steps/0/inputs/image"),
    (
      "face-detector.tiobundle", "face-embedder.tiobundle",
      "missing-role /steps/1/refine/detections"
    ),
    (#""face": "align""#, #""face": "detect.boxes""#, "value-count /steps/3/inputs/face"),
    (#""face": "align""#, #""face": "detect.box""#, "unknown-output /steps/3/inputs/face"),
    (#""face": "align""#, #""face": "refine""#, "unknown-input /steps/3/inputs/face"),
    ("[41.6, 25.6]", "[1, 2], [3, 4], [5, 6], [7, 8]", "value-count /steps/2/align/points"),
    (#""width": 64"#, #""width": 64, "whiten": true"#, ""),
  ]

  @Test(arguments: faults)
  func `what does not fit is told by its place and its code`(
    part: String, wrong: String, expected: String
  ) throws {
    try write { $0.replacing(part, with: wrong) }
    let problems = try problems(exit: expected.isEmpty ? 0 : 3)
    #expect(expected.isEmpty ? problems.isEmpty : problems.contains(expected), "\(problems)")
  }

  @Test func `a broken bundle is told, and so is what is wrong with it`() throws {
    try folder.write("{", to: "face-embedder.tiobundle/model.json")
    #expect(try problems() == ["broken-bundle /steps/3/bundle"])
    let outcome = TestConsole.run(["validate", chain])
    #expect(outcome.exitCode == 3)
    #expect(outcome.lines[0].contains(": /steps/3/bundle: "), "\(outcome)")
    #expect(outcome.lines[1].hasPrefix("error: face-embedder.tiobundle: "), "\(outcome)")
    #expect(outcome.lines.last == "\(chain): invalid")
  }

  @Test func `a bundle whose model cannot be opened has the runtime's exit`() throws {
    try folder.write("no model", to: "face-embedder.tiobundle/model.tflite")
    let outcome = TestConsole.run(["validate", chain])
    #expect(outcome.exitCode == 5, "\(outcome)")
  }

  @Test func `a chain without a description says so`() throws {
    try FileManager.default.removeItem(atPath: "\(chain)/chain.json")
    #expect(try problems() == ["missing-description "])
    let none = TestConsole.run(["validate", "\(folder.path)/none.tiochain"])
    #expect(none.exitCode == 3)
  }

  @Test func `inspect shows the steps`() throws {
    let text = TestConsole.run(["inspect", chain])
    #expect(text.exitCode == 0)
    for part in [
      "face-detector.tiobundle", "image from picture", "what refine has found in picture",
      "face from align", "embedding   array [128]", "try it:",
    ] { #expect(text.output.contains(part), "\(part): \(text.output)") }
    let tree = try TestConsole.run(["inspect", chain, "--format", "json"]).json()
    #expect(tree["chain"]?["id"]?.string == "faces")
    let steps = tree["steps"]?.array ?? []
    #expect(steps.map { $0["name"]?.string } == ["detect", "refine", "align", "embed"])
    #expect(steps.first?["inputs"]?["image"]?.string == "picture")
    #expect(tree["outputs"]?.array?.last?["name"]?.string == "embedding")
  }

  @Test(arguments: ["pack", "train", "evaluate"])
  func `a verb that is for bundles says so in a sentence`(_ verb: String) {
    let outcome = TestConsole.run([verb, chain] + (verb == "pack" ? [] : [folder.path]))
    #expect(outcome.exitCode == 2 && outcome.firstMessageLine.contains("is a chain"), "\(outcome)")
  }
}
