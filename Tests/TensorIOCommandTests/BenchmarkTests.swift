import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

@Suite struct BenchmarkTests {
  private func report(_ words: [String]) throws -> [JSONTree] {
    let outcome = TestConsole.run(["benchmark"] + words + ["--format", "json"])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty, "\(outcome.messages)")
    return try #require(try outcome.json().array)
  }

  @Test func `a configuration is measured stage by stage`() throws {
    let facts = try #require(try report([Example.digits, "--threads", "1", "--runs", "20"]).first)
    #expect(facts["model"]?.string == Example.digits)
    #expect(facts["input"]?.string == Example.digit("0-1"))
    #expect(facts["threads"]?.number == 1 && facts["concurrency"]?.number == 1)
    #expect(facts["batch"]?.number == 1 && facts["runs"]?.number == 20)
    let rate = try #require(facts["rate"]?.number)
    #expect(rate >= facts["rate_min"]?.number ?? .infinity && rate > 0)
    #expect(rate <= facts["rate_max"]?.number ?? 0)
    for stage in ["picture", "input", "run", "output", "total"] {
      let figures = try #require(facts["latency_ms"]?[stage])
      let spread = ["p50", "p90", "p99"].compactMap { figures[$0]?.number }
      #expect(spread.count == 3 && spread == spread.sorted(), "\(stage)")
      #expect(figures["mean"]?.number != nil)
    }
    #expect(facts["open_ms"]?.number ?? 0 > 0 && facts["first_run_ms"]?.number ?? 0 > 0)
    #expect(facts["memory_mb"]?.number ?? 0 > 0 && facts["growth_mb"] != nil)
  }

  @Test func `every combination is a configuration`() throws {
    let bundle = try TinyBundle.double()
    let words = [bundle.path, "--threads", "1,2", "--concurrency", "1,3", "--runs", "12"]
    let results = try report(words)
    let pairs = results.map { [$0["threads"]?.number, $0["concurrency"]?.number] }
    #expect(pairs == [[1, 1], [1, 3], [2, 1], [2, 3]])
    #expect(results.allSatisfy { $0["runs"]?.number == 12 })
  }

  @Test func `a batch counts as many items as it has`() throws {
    let bundle = ProjectFiles.path("Tests/Fixtures/TensorFlow/picture-tflite.tiobundle")
    let results = try report([bundle, "--threads", "1", "--batch", "1,8", "--runs", "40"])
    #expect(results.compactMap { $0["batch"]?.number } == [1, 8])
    for result in results {
      // Items go through in the time of their runs: no more of them than that time allows.
      let mean = try #require(result["latency_ms"]?["total"]?["mean"]?.number)
      let most = try #require(result["batch"]?.number) * 1000 / mean
      #expect(try #require(result["rate_min"]?.number) < most * 1.5)
    }
  }

  @Test func `a model that takes one item after the other has no batches`() {
    let outcome = TestConsole.run(["benchmark", Example.digits, "--batch", "2"])
    #expect(outcome.exitCode == 4 && outcome.output.isEmpty)
    #expect(outcome.firstMessageLine.contains("--batch on a model whose layers do not begin with -1"))
  }

  @Test(arguments: [("double", "zeros"), ("negative", "a gray picture")])
  func `without an input or a sample, something is made up and told`(
    _ name: String, _ made: String
  ) throws {
    let bundle = try name == "double" ? TinyBundle.double() : TinyBundle.negative()
    let outcome = TestConsole.run(["benchmark", bundle.path, "--runs", "3", "--warm-up", "0"])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty, "\(outcome.messages)")
    #expect(
      outcome.lines.first
        == "Test on \(made), since there is neither an input nor a sample")
    #expect(outcome.lines.contains { $0.hasPrefix("  threads  callers  batch  runs") })
    #expect(try report([bundle.path, "--runs", "3"])[0]["input"]?.string == "")
  }

  @Test func `an input of the user's own is told`() throws {
    let bundle = try TinyBundle.double()
    let outcome = TestConsole.run(["benchmark", bundle.path, "[1,2,3,4]", "--runs", "2"])
    #expect(
      outcome.lines.prefix(2) == [
        "Test on [1,2,3,4]", "2 runs each in 2 rounds, after 5 runs to warm up",
      ])
  }

  @Test func `rates are drawn over threads`() throws {
    let folder = try TemporaryFolder()
    let plot = "\(folder.path)/rate.png"
    let words = ["benchmark", Example.digits, "--runs", "5", "--threads", "1,2", "--plot", plot]
    #expect(TestConsole.run(words).exitCode == 0)
    let picture = try ImageBuffer(contentsOf: plot)
    #expect(picture.width > 400 && Set(picture.pixels).count > 10)
  }

  @Test func `an interrupt prints what is done`() throws {
    let bundle = try TinyBundle.double()
    var console = TestConsole()
    // One look before each configuration is opened, one before each round and run.
    console.interruptAfterPolls = 400
    let outcome = console.run(["benchmark", bundle.path, "--runs", "1000000"])
    #expect(outcome.exitCode == 130)
    #expect(outcome.lines.contains { $0.hasPrefix("  threads") })
    #expect(outcome.firstMessageLine == "tensorio: interrupted; 1 of 1 configurations were measured")
    console.interruptAfterPolls = 0
    let early = console.run(["benchmark", bundle.path, "--threads", "1,2"])
    #expect(early.exitCode == 130 && early.lines == ["Test: nothing was measured"])
  }

  @Test func `an input that does not fit ends it`() throws {
    let bundle = try TinyBundle.double()
    let outcome = TestConsole.run(["benchmark", bundle.path, "[1,2]", "--concurrency", "2"])
    #expect(outcome.exitCode == 4 && outcome.output.isEmpty)
    #expect(outcome.firstMessageLine.contains("expected 4 values, got 2"))
  }

  @Test(arguments: [
    ("", "name a bundle: tensorio benchmark BUNDLE [INPUT] [flags]"),
    ("x --runs 1 --seconds 1", "--runs and --seconds both say how long; give one of them"),
    ("x --seconds 0", "--seconds takes a number above 0, at most a day, got 0.0"),
    ("x --threads 1,", "--threads takes whole numbers from 1 to 1024, such as 1,2, got '1,'"),
    ("x --batch 0", "--batch takes whole numbers from 1 to 65536, such as 1,2, got '0'"),
    (
      "x --plot rate.png",
      "--plot draws a line through several configurations, such as --threads 1,2"
    ),
    (
      "x --threads 1,2 --plot rate.txt",
      "--plot takes the name of a picture, such as rate.png, got 'rate.txt'"
    ),
  ])
  func `a mistake is told in one line`(_ line: String, _ message: String) {
    let outcome = TestConsole.run(
      ["benchmark"] + line.split(separator: " ").map(String.init))
    #expect(outcome.exitCode == 2 && outcome.messages == "tensorio: \(message)\n")
  }
}
