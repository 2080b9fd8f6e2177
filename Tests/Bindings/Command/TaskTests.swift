import Foundation
import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Task results of `tensorio run`.
@Suite struct TaskTests {
  private static let picture = ProjectFiles.path(
    "Examples/Bundles/digits.tiobundle/samples/3-1.png")

  /// A detector whose description was drafted by `tensorio init`.
  private func detector(_ folder: TemporaryFolder) throws -> String {
    let target = folder.path + "/detector.tiobundle"
    let model = ProjectFiles.path("Tests/Fixtures/Models/detector.tflite")
    #expect(TestConsole.run(["init", model, "-o", target]).exitCode == 0)
    return target
  }

  private func outputs(_ bundle: String, _ flags: String...) throws -> JSONTree {
    let outcome = TestConsole.run(["run", bundle, Self.picture, "--format", "json"] + flags)
    #expect(outcome.exitCode == 0, "\(outcome)")
    return try #require(try outcome.json()["outputs"])
  }

  @Test func `Detections replace the outputs they are computed from`() throws {
    let folder = try TemporaryFolder()
    let outputs = try outputs(detector(folder))
    #expect(outputs.object?.map(\.key) == ["detections"])
    let found = try #require(outputs["detections"]?.array)
    #expect(found.count == 4)
    #expect(found[0]["color"]?.string == "#26a6fe")
    #expect(found[0]["box"]?.object?.map(\.key).sorted() == ["xmax", "xmin", "ymax", "ymin"])
    // The image has 128 × 128 pixels, and the input of the model is smaller.
    #expect(found[0]["box"]?["ymax"]?.number == 128)
    let scores = found.compactMap { $0["score"]?.number }
    #expect(scores == scores.sorted(by: >))
  }

  @Test func `Options filter detections`() throws {
    let folder = try TemporaryFolder()
    let bundle = try detector(folder)
    #expect(try outputs(bundle, "--top", "2")["detections"]?.array?.count == 2)
    #expect(try outputs(bundle, "--min-score", "0.65")["detections"]?.array?.count == 2)
    #expect(try outputs(bundle, "--deny-label", "0")["detections"]?.array?.count == 0)
    #expect(try outputs(bundle, "--allow-label", "0")["detections"]?.array?.count == 4)
    #expect(try outputs(bundle, "--iou-threshold", "0.5")["detections"]?.array?.count == 4)
    let raw = try outputs(bundle, "--raw-outputs")
    #expect(
      raw.object?.map(\.key).sorted() == ["boxes", "classes", "count", "detections", "scores"])
  }

  @Test func `CSV has rows for scores and edges and text has a line per detection`() throws {
    let folder = try TemporaryFolder()
    let bundle = try detector(folder)
    let table = TestConsole.run(["run", bundle, Self.picture, "--format", "csv", "--top", "1"])
    #expect(
      table.lines.dropFirst().map { $0.split(separator: ",")[1] } == [
        "detections/0/score", "detections/0/xmin", "detections/0/ymin", "detections/0/xmax",
        "detections/0/ymax",
      ])
    let text = TestConsole.run(["run", bundle, Self.picture, "--format", "text", "--top", "1"])
    #expect(text.output.contains("    0  0.8196  x 0–64  y 64–128"), "\(text.output)")
    let none = TestConsole.run([
      "run", bundle, Self.picture, "--format", "text", "--min-score", "2",
    ])
    #expect(none.output.contains("none above the threshold"), "\(none.output)")
  }

  @Test func `Boxes are drawn on the image`() throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/drawn"
    let bundle = try detector(folder)
    #expect(TestConsole.run(["run", bundle, Self.picture, "--annotate", target]).exitCode == 0)
    let drawn = try ImageBuffer(contentsOf: target + "/3-1.png")
    let sky = PixelColor(red: 38, green: 166, blue: 254)
    let row = drawn.width * 3 / 4
    #expect((0..<8).contains { drawn[$0, row] == sky })
  }

  @Test func `Labels can be allowed and denied and options of other tasks are rejected`() throws {
    let digits = ProjectFiles.path("Examples/Bundles/digits.tiobundle")
    let labels = try outputs(digits, "--deny-label", "3", "--top", "1")["classification"]?.array
    #expect(labels?.count == 1 && labels?[0]["label"]?.string != "3")
    let none = try outputs(digits, "--min-score", "2")["classification"]?.array
    #expect(none?.isEmpty == true)
    let rejected = TestConsole.run(["run", digits, Self.picture, "--iou-threshold", "0.5"])
    #expect(rejected.exitCode == 2 && rejected.firstMessageLine.contains("--iou-threshold"))
  }

  @Test func `A chain has the results of its bundles run in sequence`() throws {
    let folder = try TemporaryFolder()
    for name in ["first", "second"] {
      let model = ProjectFiles.path("Tests/Fixtures/Models/picture-negative.tflite")
      let made = TestConsole.run(["init", model, "-o", "\(folder.path)/\(name).tiobundle"])
      #expect(made.exitCode == 0)
    }
    try folder.write(
      """
      {"name": "Twice", "id": "twice", "version": "1", "inputs": ["photo"],
       "steps": [
         {"name": "one", "bundle": "first.tiobundle", "inputs": {"image": "photo"}},
         {"name": "two", "bundle": "second.tiobundle", "inputs": {"image": "one.image"}}
       ]}
      """, to: "twice.tiochain/chain.json")
    let picture = try ImageBuffer(contentsOf: Self.picture)
    let first = try Model(at: folder.path + "/first.tiobundle")
    let second = try Model(at: folder.path + "/second.tiobundle")
    let negative: ImageBuffer = try first.run(picture).value(of: "image")
    let expected: ImageBuffer = try second.run(negative).value(of: "image")
    let chain = try Chain(at: folder.path + "/twice.tiochain")
    #expect(try chain.run(picture).final?.value(of: "image") == expected)
    #expect(expected != negative)
    let saved = folder.path + "/saved"
    let outcome = TestConsole.run([
      "run", folder.path + "/twice.tiochain", Self.picture, "--save-images", saved,
    ])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try ImageBuffer(contentsOf: saved + "/3-1-image.png") == expected)
  }

  @Test func `A chain opens like a bundle`() throws {
    let folder = try TemporaryFolder()
    _ = try detector(folder)
    try folder.write(
      """
      {"name": "Found", "id": "found", "version": "7", "inputs": ["photo"],
       "steps": [{"name": "find", "bundle": "detector.tiobundle", "inputs": {"image": "photo"}}]}
      """, to: "found.tiochain/chain.json")
    let chain = folder.path + "/found.tiochain"
    let record = try TestConsole.run(["run", chain, Self.picture, "--format", "json"]).json()
    #expect(record["model"]?["id"]?.string == "found")
    #expect(record["outputs"]?["detections"]?.array?.count == 4)
    let broken = try folder.write(#"{"inputs": ["photo"]}"#, to: "x.tiochain/chain.json")
    #expect(TestConsole.run(["run", String(broken.dropLast(11)), Self.picture]).exitCode == 3)
  }
}
