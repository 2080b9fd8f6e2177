import Foundation
import TensorIOTestSupport
import Testing

/// `tensorio evaluate --reference` and `tensorio drift`.
@Suite(.ownThreads) struct DriftTests {
  private static let heldOut = ProjectFiles.path("Examples/Data/digits-held-out")
  private static let training = ProjectFiles.path("Examples/Data/digits-training")
  private static let shapes = ProjectFiles.path("Examples/Data/shapes-held-out")

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Copies an example bundle.
  private func bundle(_ name: String = "digits") throws -> String {
    let path = "\(folder.path)/\(name).tiobundle"
    try FileManager.default.copyItem(
      atPath: ProjectFiles.path("Examples/Bundles/\(name).tiobundle"), toPath: path)
    return path
  }

  /// Copies an example bundle and writes the reference of held-out digits into it.
  private func referenced(_ name: String = "digits") throws -> String {
    let bundle = try bundle(name)
    let outcome = TestConsole.run(["evaluate", bundle, Self.heldOut, "--reference"])
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(outcome.messages.contains("wrote the reference of 360 items into \(bundle)"))
    return bundle
  }

  @Test func `Data like that of the evaluation does not drift, and other data does`() throws {
    let bundle = try referenced()
    // The reference is no part of what determines the outputs, and the bundle stays valid.
    #expect(TestConsole.run(["validate", bundle]).exitCode == 0)
    let same = TestConsole.run(["drift", bundle, Self.training])
    #expect(same.exitCode == 0 && same.lines[0] == "no drift: 5 numbers, 1437 items against 360")
    let other = TestConsole.run(["drift", bundle, Self.shapes, "--format", "json"])
    #expect(other.exitCode == 1)
    #expect(other.messages.contains("drift above 0.25 in classification score"))
    let report = try other.json()
    #expect(report["drift"]?.string == "much" && report["items"]?.number == 60)
    #expect(report["reference_items"]?.number == 360 && report["alert"]?.number == 0.25)
    let rows = try #require(report["numbers"]?.array)
    #expect(rows.count == 5 && rows[0]["drift"]?.string == "much")
    let indices = rows.compactMap { $0["psi"]?.number }
    #expect(
      indices == indices.sorted(by: >) && report["alerts"]?[0]?.string == rows[0]["name"]?.string)
  }

  @Test func `Fewer classes are drift of the classes only`() throws {
    let bundle = try referenced()
    let outcome = TestConsole.run(["drift", bundle, "\(Self.heldOut)/3", "--format", "csv"])
    #expect(outcome.exitCode == 1)
    #expect(
      outcome.lines[0]
        == "name,source,drift,psi,ks,mmd2,p,missing,reference_missing,chance")
    #expect(outcome.lines[1].hasPrefix("classification class,output,much,"))
    #expect(outcome.lines.dropFirst(2).allSatisfy { $0.contains(",none,") })
  }

  @Test func `Thresholds decide the exit code`() throws {
    let bundle = try referenced()
    let high = TestConsole.run(["drift", bundle, Self.shapes, "--alert", "100"])
    #expect(high.exitCode == 0 && high.lines[0].hasPrefix("much drift in 4 of 5 numbers"))
    for value in ["x", "-1", "nan"] {
      #expect(TestConsole.run(["drift", bundle, Self.shapes, "--alert", value]).exitCode == 2)
    }
  }

  @Test func `Two sets of data are compared without a reference`() throws {
    let bundle = try bundle()
    let missing = TestConsole.run(["drift", bundle, Self.training])
    #expect(missing.exitCode == 3)
    #expect(
      missing.messages.contains(
        "has no reference to compare with; write one with `tensorio evaluate"))
    let outcome = TestConsole.run(["drift", bundle, Self.heldOut, "--against", Self.training])
    #expect(outcome.exitCode == 0)
    #expect(outcome.lines[0] == "no drift: 5 numbers, 360 items against 1437")
  }

  @Test func `Embeddings are compared by their discrepancy`() throws {
    let bundle = try referenced("digits-embedder")
    let report = try TestConsole.run(["drift", bundle, "\(Self.heldOut)/3", "--format", "json"])
      .json()
    let row = try #require(report["numbers"]?.array?.first { $0["name"]?.string == "embeddings" })
    #expect(row["drift"]?.string == "much" && row["psi"] == nil)
    #expect(row["mmd2"]?.number ?? 0 > 0.05 && row["p"]?.number ?? 1 < 0.05)
    let same = try TestConsole.run([
      "drift", bundle, Self.training, "--format", "json",
    ]).json()
    #expect(same["drift"]?.string == "none")
  }

  @Test func `Numbers that move or become constant are found, and no rows are an error`() throws {
    let numbers = try bundle("diabetes")
    func row(_ index: Int) -> [Double] {
      var row = [Double(20 + index * 7 % 60), 1, Double(20 + index % 13)]
      for column in 0..<7 { row.append(Double(10 + column + index % (11 + column))) }
      return row
    }
    let may = try lines("may", (0..<300).map(row))
    let june = try lines("june", (300..<600).map(row))
    func changed(_ column: Int, _ change: (Double) -> Double) -> [[Double]] {
      (0..<300).map { index in
        var row = row(index)
        row[column] = change(row[column])
        return row
      }
    }
    let older = try lines("older", changed(0) { $0 + 30 })
    let constant = try lines("constant", changed(9) { _ in 12 })
    func drift(_ data: String) -> CommandResult {
      TestConsole.run(["drift", numbers, data, "--against", may, "--format", "json"])
    }
    #expect(drift(june).exitCode == 0, "\(drift(june).output)")
    let moved = try drift(older).json()
    #expect(moved["alerts"]?.array?.contains { $0.string == "features[age]" } == true)
    let fixed = try drift(constant).json()
    #expect(fixed["alerts"]?[0]?.string == "features[s6]")
    let empty = TestConsole.run(["drift", numbers, try folder.write("", to: "empty.ndjson")])
    #expect(empty.exitCode != 0)
  }

  /// Writes rows as lines of JSON.
  private func lines(_ name: String, _ rows: [[Double]]) throws -> String {
    let text = rows.map { #"{"features": \#($0)}"# }.joined(separator: "\n")
    return try folder.write(text, to: "\(name).ndjson")
  }

  @Test func `A damaged reference is reported, and does not end anything else`() throws {
    let bundle = try bundle()
    try Data(#"{"format": 1, "items": 1, "distributions": 7}"#.utf8)
      .write(to: URL(filePath: bundle + "/reference.json"))
    let outcome = TestConsole.run(["drift", bundle, Self.shapes])
    #expect(outcome.exitCode == 3 && outcome.messages.contains("reference.json"))
    #expect(TestConsole.run(["run", bundle, "\(Self.heldOut)/3/013.png"]).exitCode == 0)
  }

  @Test func `A packed or signed bundle keeps no reference`() throws {
    let bundle = try bundle()
    let zip = "\(folder.path)/digits.zip"
    #expect(TestConsole.run(["pack", bundle, "-o", zip]).exitCode == 0)
    let outcome = TestConsole.run(["evaluate", zip, Self.heldOut, "--reference"])
    #expect(outcome.exitCode == 3 && outcome.messages.contains("neither packed nor signed"))
    let resumed = TestConsole.run([
      "evaluate", bundle, Self.heldOut, "--reference", "--resume", "--output",
      "\(folder.path)/log.ndjson",
    ])
    #expect(resumed.exitCode == 2)
  }

  @Test func `A copy with another model has no reference`() throws {
    let bundle = try referenced()
    let half = "\(folder.path)/half.tiobundle"
    let outcome = TestConsole.run(["quantize", bundle, "--recipe", "float16", "-o", half])
    #expect(outcome.exitCode == 0)
    #expect(!FileManager.default.fileExists(atPath: half + "/reference.json"))
    // Its manifest follows when it is given one.
    #expect(TestConsole.run(["evaluate", half, Self.heldOut, "--reference"]).exitCode == 0)
    #expect(TestConsole.run(["drift", half, Self.training]).exitCode == 0)
  }
}
