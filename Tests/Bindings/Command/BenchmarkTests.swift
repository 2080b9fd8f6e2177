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

  @Test func `Each configuration is measured stage by stage`() throws {
    let facts = try #require(try report([Example.digits, "--threads", "1", "--runs", "20"]).first)
    #expect(facts["model"]?.string == Example.digits)
    #expect(facts["input"]?.string == Example.digit("0-1"))
    #expect(facts["threads"]?.number == 1 && facts["concurrency"]?.number == 1)
    #expect(facts["batch"]?.number == 1 && facts["runs"]?.number == 20)
    let rate = try #require(facts["items_per_second"]?.number)
    #expect(rate >= facts["items_per_second_min"]?.number ?? .infinity && rate > 0)
    #expect(rate <= facts["items_per_second_max"]?.number ?? 0)
    for stage in ["image", "input", "run", "output", "total"] {
      let figures = try #require(facts["latency_ms"]?[stage])
      let spread = ["p50", "p90", "p99"].compactMap { figures[$0]?.number }
      #expect(spread.count == 3 && spread == spread.sorted(), "\(stage)")
      #expect(figures["mean"]?.number != nil)
    }
    #expect(facts["load_ms"]?.number ?? 0 > 0 && facts["first_run_ms"]?.number ?? 0 > 0)
    #expect(facts["rss_mb"]?.number ?? 0 > 0 && facts["rss_growth_mb"] != nil)
  }

  @Test func `Every combination of options is one configuration`() throws {
    let bundle = try TinyBundle.double()
    let words = [bundle.path, "--threads", "1,2", "--concurrency", "1,3", "--runs", "12"]
    let results = try report(words)
    let pairs = results.map { [$0["threads"]?.number, $0["concurrency"]?.number] }
    #expect(pairs == [[1, 1], [1, 3], [2, 1], [2, 3]])
    #expect(results.allSatisfy { $0["runs"]?.number == 12 })
  }

  @Test func `A batch counts as one item per row`() throws {
    let bundle = ProjectFiles.path("Tests/Fixtures/TensorFlow/picture-tflite.tiobundle")
    let results = try report([bundle, "--threads", "1", "--batch-size", "1,8", "--runs", "40"])
    #expect(results.compactMap { $0["batch"]?.number } == [1, 8])
    for result in results {
      // The throughput is bounded by the latency of the runs.
      let mean = try #require(result["latency_ms"]?["total"]?["mean"]?.number)
      let most = try #require(result["batch"]?.number) * 1000 / mean
      #expect(try #require(result["items_per_second_min"]?.number) < most * 1.5)
    }
  }

  @Test func `Operators are listed with their times, and written as a trace`() throws {
    let folder = try TemporaryFolder()
    let trace = folder.path + "/trace.json"
    let words = [
      "benchmark", Example.digits, "--threads", "1", "--operators", "--runs", "5", "--trace", trace,
      "--format", "json",
    ]
    let outcome = TestConsole.run(words)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    let profile = try outcome.json()
    #expect(profile["runs"]?.number == 5)
    let operators = try #require(profile["operators"]?.array)
    let names = operators.compactMap { $0["name"]?.string }
    #expect(names.count == operators.count && names.contains { $0.contains("Convolution") })
    let shares = operators.compactMap { $0["share"]?.number }
    #expect(abs(shares.reduce(0, +) - 1) < 1e-9)
    let kinds = try #require(profile["kinds"]?.array)
    #expect(kinds.compactMap { $0["count"]?.number }.reduce(0, +) == Double(operators.count))
    let times = kinds.compactMap { $0["us"]?.number }
    #expect(times == times.sorted(by: >))
    let events = try #require(try JSONTree(contentsOf: trace)["traceEvents"]?.array)
    #expect(events.compactMap { $0["name"]?.string } == names)
    #expect(events.allSatisfy { $0["ph"]?.string == "X" && $0["dur"]?.number ?? -1 >= 0 })
    #expect(events.first?["ts"]?.number == 0)
  }

  @Test func `Text lists the kinds of operators before the operators`() {
    let outcome = TestConsole.run(
      ["benchmark", Example.digits, "--threads", "1", "--operators", "--runs", "3"])
    #expect(outcome.exitCode == 0)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.contains { $0.contains("kind") && $0.hasSuffix("share") })
    #expect(lines.contains { $0.contains("Convolution") && $0.hasSuffix("%") })
  }

  @Test(arguments: [
    (["--trace", "t.json"], "--trace requires --operators"),
    (["--operators", "--threads", "1,2"], "--operators takes one configuration"),
    (["--operators", "--duration", "1"], "--operators and --duration are mutually exclusive"),
  ])
  func `Options that do not fit profiling are rejected`(
    _ words: [String], _ message: String
  ) {
    let outcome = TestConsole.run(["benchmark", Example.digits] + words)
    #expect(outcome.exitCode == 2)
    #expect(outcome.firstMessageLine.contains(message), "\(outcome.messages)")
  }

  @Test func `A runtime that does not record operators is named as the cause`() {
    let bundle = ProjectFiles.path("Tests/Fixtures/TensorFlow/picture-tensorflow.tiobundle")
    let outcome = TestConsole.run(["benchmark", bundle, "--operators", "--threads", "1"])
    #expect(outcome.exitCode == 6)
    #expect(outcome.firstMessageLine.contains("profiling operators"), "\(outcome.messages)")
  }

  @Test func `A model without a batch dimension rejects batch sizes above 1`() {
    let outcome = TestConsole.run(["benchmark", Example.digits, "--batch-size", "2"])
    #expect(outcome.exitCode == 4 && outcome.output.isEmpty)
    #expect(
      outcome.firstMessageLine.contains(
        "a batch size above 1 for a model without a batch dimension (-1)"))
  }

  @Test(arguments: [("double", "zeros"), ("negative", "a gray image")])
  func `A dummy input is used and reported if there is no input or sample`(
    _ name: String, _ made: String
  ) throws {
    let bundle = try name == "double" ? TinyBundle.double() : TinyBundle.negative()
    let outcome = TestConsole.run(["benchmark", bundle.path, "--runs", "3", "--warmup-runs", "0"])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty, "\(outcome.messages)")
    #expect(
      outcome.lines.first
        == "Test on \(made) (no input given, and the bundle has no sample)")
    #expect(outcome.lines.contains { $0.hasPrefix("  threads  callers  batch  runs") })
    #expect(try report([bundle.path, "--runs", "3"])[0]["input"]?.string == "")
  }

  @Test func `An explicit input is reported`() throws {
    let bundle = try TinyBundle.double()
    let outcome = TestConsole.run(["benchmark", bundle.path, "[1,2,3,4]", "--runs", "2"])
    #expect(
      outcome.lines.prefix(2) == [
        "Test on [1,2,3,4]", "2 runs per configuration in 2 rounds, after 5 warm-up runs",
      ])
  }

  @Test func `Throughput is drawn over the number of threads`() throws {
    let folder = try TemporaryFolder()
    let plot = "\(folder.path)/rate.png"
    let words = ["benchmark", Example.digits, "--runs", "5", "--threads", "1,2", "--plot", plot]
    #expect(TestConsole.run(words).exitCode == 0)
    let picture = try ImageBuffer(contentsOf: plot)
    #expect(picture.width > 400 && Set(picture.pixels).count > 10)
  }

  @Test func `An interrupt prints the results so far`() throws {
    let bundle = try TinyBundle.double()
    var console = TestConsole()
    // Cancellation is tested once per configuration, round and run.
    console.interruptAfterPolls = 400
    let outcome = console.run(["benchmark", bundle.path, "--runs", "1000000"])
    #expect(outcome.exitCode == 130)
    #expect(outcome.lines.contains { $0.hasPrefix("  threads") })
    #expect(outcome.firstMessageLine == "tensorio: interrupted; measured 1 of 1 configurations")
    console.interruptAfterPolls = 0
    let early = console.run(["benchmark", bundle.path, "--threads", "1,2"])
    #expect(early.exitCode == 130 && early.lines == ["Test: no measurements"])
  }

  @Test func `An input that does not match the model ends the benchmark`() throws {
    let bundle = try TinyBundle.double()
    let outcome = TestConsole.run(["benchmark", bundle.path, "[1,2]", "--concurrency", "2"])
    #expect(outcome.exitCode == 4 && outcome.output.isEmpty)
    #expect(outcome.firstMessageLine.contains("expected 4 values, got 2"))
  }

  @Test(arguments: [
    ("", "missing <bundle>; usage: tensorio benchmark [options] <bundle> [<input> ...]"),
    ("x --runs 1 --duration 1", "--runs and --duration are mutually exclusive"),
    ("x --duration 0", "--duration takes a number of seconds above 0 and up to 86400, got 0.0"),
    ("x --threads 1,", "--threads takes integers from 1 to 1024 separated by commas, got '1,'"),
    (
      "x --batch-size 0",
      "--batch-size takes integers from 1 to 65536 separated by commas, got '0'"
    ),
    (
      "x --plot rate.png",
      "--plot requires several configurations, such as --threads 1,2"
    ),
    (
      "x --threads 1,2 --plot rate.txt",
      "--plot takes an image file name such as rate.png, got 'rate.txt'"
    ),
  ])
  func `A usage error is reported in one line`(_ line: String, _ message: String) {
    let outcome = TestConsole.run(
      ["benchmark"] + line.split(separator: " ").map(String.init))
    #expect(outcome.exitCode == 2 && outcome.messages == "tensorio: \(message)\n")
  }
}
