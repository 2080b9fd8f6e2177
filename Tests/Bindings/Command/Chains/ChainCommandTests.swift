import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

/// Tests of `tensorio validate`, `inspect` and other commands on chains.
@Suite struct ChainCommandTests {
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

  /// Writes a modified copy of the example chain.
  private func write(_ change: (String) -> String) throws {
    let text = try String(
      contentsOfFile: ProjectFiles.path("Examples/Bundles/faces.tiochain/chain.json"),
      encoding: .utf8)
    try folder.write(change(text), to: "faces.tiochain/chain.json")
  }

  private func diagnostics(exit: Int32 = 3) throws -> [String] {
    let outcome = TestConsole.run(["validate", chain, "--format", "json"])
    #expect(outcome.exitCode == exit, "\(outcome)")
    let report = try outcome.json()
    #expect(report["valid"]?.bool == (exit == 0))
    return (report["diagnostics"]?.array ?? []).map { diagnostic in
      "\(diagnostic["code"]?.string ?? "") \(diagnostic["path"]?.string ?? "")"
    }
  }

  @Test(arguments: ProjectFiles.entries(of: "Examples/Bundles", suffix: ".tiochain"))
  func `The example chains are valid without warnings`(_ chain: String) {
    let outcome = TestConsole.run(["validate", chain, "--strict"])
    #expect(outcome.exitCode == 0 && outcome.lines == ["\(chain): valid"], "\(outcome)")
  }

  @Test func `The example chain reads the lines of held-out images`() throws {
    let outcome = TestConsole.run([
      "evaluate", ProjectFiles.path("Examples/Bundles/reading.tiochain"),
      ProjectFiles.path("Examples/Data/text-over-photographs/lines.txt"),
      "--gate", "f1>=0.95", "--gate", "exact_match>=0.6", "--gate", "cer_matched<=0.12",
    ])
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  static let errors: [(part: String, wrong: String, expected: String)] = [
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

  @Test(arguments: errors)
  func `A mismatch is reported with its location and code`(
    part: String, wrong: String, expected: String
  ) throws {
    try write { $0.replacing(part, with: wrong) }
    let diagnostics = try diagnostics(exit: expected.isEmpty ? 0 : 3)
    #expect(
      expected.isEmpty ? diagnostics.isEmpty : diagnostics.contains(expected), "\(diagnostics)")
  }

  @Test func `An invalid bundle of a chain is reported with its own errors`() throws {
    try folder.write("{", to: "face-embedder.tiobundle/model.json")
    #expect(try diagnostics() == ["invalid-bundle /steps/3/bundle"])
    let outcome = TestConsole.run(["validate", chain])
    #expect(outcome.exitCode == 3)
    #expect(outcome.lines[0].contains(": /steps/3/bundle: "), "\(outcome)")
    #expect(
      outcome.lines.contains { $0.hasPrefix("error: face-embedder.tiobundle: ") }, "\(outcome)")
    #expect(outcome.lines.last == "\(chain): invalid")
  }

  @Test func `A model that cannot be loaded exits with the runtime's code`() throws {
    try folder.write("no model", to: "face-embedder.tiobundle/model.tflite")
    let outcome = TestConsole.run(["validate", chain])
    #expect(outcome.exitCode == 5, "\(outcome)")
  }

  @Test func `A chain without a description is rejected`() throws {
    try FileManager.default.removeItem(atPath: "\(chain)/chain.json")
    #expect(try diagnostics() == ["missing-description "])
    let none = TestConsole.run(["validate", "\(folder.path)/none.tiochain"])
    #expect(none.exitCode == 3)
  }

  @Test func `inspect lists the steps`() throws {
    let text = TestConsole.run(["inspect", chain])
    #expect(text.exitCode == 0)
    for part in [
      "face-detector.tiobundle", "image from picture", "detections of refine in picture",
      "face from align", "embedding   array [128]", "try it:",
    ] { #expect(text.output.contains(part), "\(part): \(text.output)") }
    let tree = try TestConsole.run(["inspect", chain, "--format", "json"]).json()
    #expect(tree["chain"]?["id"]?.string == "faces")
    let steps = tree["steps"]?.array ?? []
    #expect(steps.map { $0["name"]?.string } == ["detect", "refine", "align", "embed"])
    #expect(steps.first?["inputs"]?["image"]?.string == "picture")
    #expect(tree["outputs"]?.array?.last?["name"]?.string == "embedding")
  }

  @Test(arguments: ["pack", "train"])
  func `A command for bundles rejects chains`(_ command: String) {
    let outcome = TestConsole.run([command, chain] + (command == "pack" ? [] : [folder.path]))
    #expect(outcome.exitCode == 2 && outcome.firstMessageLine.contains("is a chain"), "\(outcome)")
  }
}
