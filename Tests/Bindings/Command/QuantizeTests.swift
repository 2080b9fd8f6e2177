import Foundation
import TensorIOTestSupport
import Testing

/// `tensorio quantize`, with a program in the place of the interpreter that has the quantizers.
@Suite struct QuantizeTests {
  /// Four images of each digit.
  private static let folder = try? images()
  private static var heldOut: String { folder?.path ?? "" }

  private static func images() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let source = ProjectFiles.path("Examples/Data/digits-held-out")
    for digit in 0..<10 {
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(source)/\(digit)")
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(digit)", withIntermediateDirectories: true)
      for name in names.sorted().prefix(4) {
        try folder.copy("\(source)/\(digit)/\(name)", as: "\(digit)/\(name)")
      }
    }
    return folder
  }

  /// A program that answers as the quantizers do: it copies a file for each recipe, and a good one if a layer stays float.
  private struct StandIn {
    let folder: TemporaryFolder
    let path: String

    /// Creates a stand-in for a model with four layers.
    ///
    /// - Parameters:
    ///   - good: The model that it writes if `needed` stays float.
    ///   - bad: The model that it writes otherwise.
    ///   - needed: The layers that have to stay float.
    ///   - canCompact: Whether the weights of float layers can have 8 bits.
    /// - Throws: An error if the files cannot be written.
    init(good: [UInt8], bad: [UInt8], needed: [String] = ["c"], canCompact: Bool = true) throws {
      let isCompact = canCompact ? "True" : "False"
      folder = try TemporaryFolder()
      let good = try folder.write(good, to: "good.tflite")
      let bad = try folder.write(bad, to: "bad.tflite")
      path = try folder.write(
        """
        #!/usr/bin/env python3
        import json, os, shutil, sys
        for line in sys.stdin:
            request = json.loads(line)
            with open("\(folder.path)/requests", "a") as log:
                log.write(line)
            if "open" in request:
                print(json.dumps({"layers": ["a", "b", "c", "d"], "compact": \(isCompact)}), flush=True)
                continue
            has = set(\(needed)) <= set(request["float"])
            shutil.copy("\(good)" if has else "\(bad)", request["output"])
            with open(request["output"], "ab") as file:
                file.write(bytes(64 * len(request["float"])))
            print("{}", flush=True)

        """, to: "interpreter")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    /// The requests that it received.
    func requests() throws -> [JSONTree] {
      try String(contentsOfFile: folder.path + "/requests", encoding: .utf8)
        .split(separator: "\n").map { try JSONTree(String($0)) }
    }
  }

  /// Half precision of the example model, and the same with weights that are all zero.
  private static func models() throws -> (good: [UInt8], bad: [UInt8]) {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/half.tiobundle"
    let outcome = TestConsole.run(
      ["quantize", Example.digits, "--recipe", "float16", "-o", bundle])
    #expect(outcome.exitCode == 0)
    let good = try [UInt8](Data(contentsOf: URL(filePath: bundle + "/model.tflite")))
    // Weights are where many halves in a row have a usual size; offsets and names do not.
    var bad = good
    var run: [Int] = []
    for index in stride(from: 0, to: bad.count - 1, by: 2) {
      let exponent = bad[index + 1] >> 2 & 0x1F
      if (4..<17).contains(exponent) {
        run.append(index)
        continue
      }
      // The ends can be numbers beside the weights.
      for start in run.dropFirst(24).dropLast(24) { (bad[start], bad[start + 1]) = (0, 0) }
      run = []
    }
    return (good, bad)
  }

  @Test func `Half precision halves a model and hardly changes its results`() throws {
    let folder = try TemporaryFolder()
    let small = folder.path + "/small.tiobundle"
    let report = try TestConsole.run([
      "quantize", Example.digits, "--recipe", "float16", "--data", Self.heldOut, "--gate",
      "top1>=-0.5pt", "-o", small, "--format", "json",
    ]).json()
    let candidate = try #require(report["candidates"]?[0])
    let original = try #require(report["original"]?["bytes"]?.number)
    let size = try #require(candidate["bytes"]?.number)
    #expect(size < 0.62 * original)
    #expect(candidate["passes"]?.bool == true && report["chosen"]?.number == 0)
    #expect(candidate["gates"]?[0]?["gate"]?.string == "top1 >= baseline - 0.5%")
    #expect(candidate["metrics"]?["top1"]?["low"]?.number ?? 1 < 1)
    #expect(report["bundle"]?.string == small)
    // The examples of the bundle have the outputs of the smaller model, and its manifest is its own.
    #expect(TestConsole.run(["validate", small]).exitCode == 0)
    let card = try String(contentsOfFile: small + "/CARD.md", encoding: .utf8)
    #expect(card.hasPrefix("Quantized from the bundle digits (version 1): float16; on the data"))
  }

  @Test func `Groups of layers stay float until the gates hold`() throws {
    let (good, bad) = try Self.models()
    let standIn = try StandIn(good: good, bad: bad)
    let folder = try TemporaryFolder()
    var console = TestConsole()
    console.environment["TENSORIO_PYTHON"] = standIn.path
    let outcome = console.run([
      "quantize", Example.digits, "--recipe", "int8", "--data", Self.heldOut, "--gate",
      "top1>=-0.5pt", "-o", folder.path + "/small.tiobundle", "--format", "json",
    ])
    let report = try outcome.json()
    let candidates = try #require(report["candidates"]?.array)
    #expect(outcome.exitCode == 0)
    // All layers, then each of the four groups, the last first; then the best with weights of 8 bits.
    let kept = candidates.map { ($0["float_layers"]?.array ?? []).compactMap(\.string) }
    #expect(kept == [[], ["d"], ["c"], ["b"], ["a"], ["c"]])
    #expect(report["chosen"]?.number == 2 && report["calibration_runs"]?.number == 40)
    #expect(candidates.map { $0["passes"]?.bool } == [false, false, true, false, false, true])
    let requests = try standIn.requests()
    #expect(requests[0]["inputs"]?[0]?.string?.isEmpty == false)
    #expect(requests[0]["calibration"]?.string != nil)
  }

  @Test func `The page of a search compares all candidates and names what stayed float`() throws {
    let (good, bad) = try Self.models()
    let standIn = try StandIn(good: good, bad: bad)
    let folder = try TemporaryFolder()
    var console = TestConsole()
    console.environment["TENSORIO_PYTHON"] = standIn.path
    let (page, text) = (folder.path + "/search.html", folder.path + "/search.md")
    let outcome = console.run([
      "quantize", Example.digits, "--recipe", "int8", "--data", Self.heldOut, "--gate",
      "top1>=-0.5pt", "--report", page, "--report", text,
    ])
    #expect(outcome.exitCode == 0)
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("<h2>Search</h2>") && html.contains("Layers that stayed float: c"))
    // Candidates with as many layers have equal names, so all are numbered.
    #expect(html.contains("<h2>#2 int8</h2>") && html.contains("<h2>#3 int8, float: 1</h2>"))
    #expect(html.contains("Handwritten digits"))
    let markdown = try String(contentsOfFile: text, encoding: .utf8)
    #expect(markdown.contains("## Search"))
    let rows = markdown.split(separator: "\n").filter { $0.hasPrefix("| int8 |") }
    #expect(rows.count == 6 && rows.count { $0.contains("| pass |") } == 2, "\(markdown)")
  }

  @Test func `Groups stay float together, and a search without success names the closest`() throws {
    let (good, bad) = try Self.models()
    var console = TestConsole()
    let folder = try TemporaryFolder()
    let path = folder.path + "/small.tiobundle"
    let arguments = [
      "quantize", Example.digits, "--recipe", "int8", "--data", Self.heldOut, "--gate",
      "top1>=-0.5pt", "-o", path,
    ]
    let pair = try StandIn(good: good, bad: bad, needed: ["c", "d"])
    console.environment["TENSORIO_PYTHON"] = pair.path
    let found = console.run(arguments)
    #expect(found.exitCode == 0)
    #expect(found.lines.last?.hasPrefix("wrote \(path): int8, float layers: 2") == true)

    // Weights of 8 bits are tried only where the format has them.
    let plain = try StandIn(good: good, bad: bad, needed: ["c", "d"], canCompact: false)
    console.environment["TENSORIO_PYTHON"] = plain.path
    #expect(console.run(arguments.dropLast(2)).lines.contains { $0.contains("2, 8-bit") } == false)

    let hopeless = try StandIn(good: good, bad: bad, needed: ["e"])
    console.environment["TENSORIO_PYTHON"] = hopeless.path
    let failed = console.run(arguments.dropLast(2) + ["-o", folder.path + "/other.tiobundle"])
    #expect(failed.exitCode == 1 && folder.entries == ["small.tiobundle"])
    #expect(failed.messages.contains("no smaller model passes; the closest is int8"))
  }

  @Test func `A model that the runtime rejects is reported and does not end the search`() throws {
    let standIn = try StandIn(good: [], bad: Array("no model".utf8))
    var console = TestConsole()
    console.environment["TENSORIO_PYTHON"] = standIn.path
    let report = try console.run([
      "quantize", Example.digits, "--recipe", "dynamic-int8", "--recipe", "float16", "--format",
      "json",
    ]).json()
    let candidates = try #require(report["candidates"]?.array)
    #expect(candidates.count == 2 && report["chosen"]?.number == 1)
    #expect(candidates[0]["error"]?.string?.isEmpty == false)
    #expect(report["bundle"] == nil)
  }

  @Test func `Packages that are missing are named`() {
    var console = TestConsole()
    console.environment["TENSORIO_PYTHON"] = "/no/such/interpreter"
    let outcome = console.run(["quantize", Example.digits, "--recipe", "int4"])
    #expect(outcome.exitCode == 5)
    #expect(outcome.messages.contains("tensorio-runtime[quantize]"))
  }

  @Test(arguments: [
    (["--gate", "top1>=0.9"], "--gate requires --data"),
    (["--report", "a.html"], "--report requires --data"),
    (["--recipe", "int8"], "--recipe int8 requires --data or --calibration"),
    (["-o", "small"], "a bundle name must end in .tiobundle"),
    (["--data", Self.heldOut, "--gate", "mao>=-1pt"], "unknown metric 'mao'"),
  ])
  func `Options that cannot be combined are refused`(_ options: [String], _ message: String) {
    let outcome = TestConsole.run(["quantize", Example.digits] + options)
    #expect(outcome.exitCode == 2)
    #expect(outcome.messages.contains(message))
  }
}
