import TensorIOServer
import TensorIOSystem
import TensorIOTestSupport
import Testing
@testable import TensorIOStudio

/// How evaluations begin, wait for each other, end and are forgotten.
@Suite(.timeLimit(.minutes(2))) struct EvaluationJobsTests {
  private let bundle: TestBundle
  private let gate = TestGate()
  private let bench: StudioBench

  init() throws {
    bundle = try GatedLibrary.bundle()
    bench = try StudioBench([bundle.path], library: GatedLibrary(gate: gate))
  }

  /// An evaluation of some pictures, half of which are figs.
  private func filled(_ count: Int) throws -> String {
    let id = try bench.evaluation(of: "test")
    for number in 0..<count {
      let path = (number % 2 == 0 ? "fig" : "plum") + "/\(number).png"
      #expect(try bench.bring(path, try GatedLibrary.picture(), to: id).status == .noContent)
    }
    return id
  }

  private func start(_ id: String) throws -> HTTPResponse {
    try bench.ask(.post, "/evaluations/\(id)/start")
  }

  private func folder(of id: String) throws -> String {
    try bench.studio.jobs.job(id).source.path
  }

  @Test func `what was done before it was cancelled is kept and reported`() async throws {
    let id = try filled(6)
    #expect(try start(id).status == .accepted)
    try await waitUntil { gate.waiterCount > 0 }  // in the first run, which counts for nothing
    #expect(try bench.json("/evaluations/\(id)")["state"]?.string == "running")
    #expect(try bench.ask(.delete, "/evaluations/\(id)").status == .ok)
    gate.open()
    let facts = try await bench.end(of: id)
    #expect(facts["state"]?.string == "cancelled" && facts["count"]?.number == 6)
    #expect(facts["done"]?.number == 1 && facts["report"]?["count"]?.number == 1)
    #expect(facts["report"]?["metrics"]?["top1"]?.number == 1)
    #expect(try bench.get("/evaluations/\(id)/report.csv").status == .ok)
  }

  @Test func `two run at a time, and a third is told to wait`() async throws {
    let ids = [try filled(2), try filled(4), try filled(2)]
    #expect(try start(ids[0]).status == .accepted)
    #expect(try start(ids[1]).status == .accepted)
    let refused = try start(ids[2])
    #expect(refused.status == .tooManyRequests && refused.code == "too-many-evaluations")
    gate.open()
    for (id, count) in [(ids[0], 2.0), (ids[1], 4.0)] {
      let facts = try await bench.end(of: id)
      #expect(facts["state"]?.string == "done" && facts["done"]?.number == count)
      #expect(facts["report"]?["metrics"]?["top1"]?.number == 0.5)
    }
    #expect(try start(ids[2]).status == .accepted)
    #expect(try await bench.end(of: ids[2])["state"]?.string == "done")
  }

  @Test func `an offered evaluation that cannot begin leaves nothing`() async throws {
    let data = try TemporaryFolder()
    try data.write(try GatedLibrary.picture(), to: "figs/fig/1.png")
    let bench = try StudioBench(
      [bundle.path], data: [data.path + "/figs"], library: GatedLibrary(gate: gate))
    let ids = [
      try bench.evaluation(of: "test", "figs"), try bench.evaluation(of: "test", "figs"),
    ]
    let refused = try bench.post("/evaluations", #"{"model": "test", "data": "figs"}"#)
    #expect(refused.status == .tooManyRequests)
    gate.open()
    for id in ids { #expect(try await bench.end(of: id)["state"]?.string == "done") }
  }

  @Test func `one that is cancelled before it began never begins`() async throws {
    let id = try filled(2)
    let answer = try bench.ask(.delete, "/evaluations/\(id)")
    #expect(try answer.json()["state"]?.string == "cancelled")
    #expect(try start(id).code == "started-already")
    #expect(gate.waiterCount == 0)
  }

  @Test func `the oldest that is over makes room, with its folder`() async throws {
    gate.open()
    let first = try filled(1)
    let path = try folder(of: first)
    #expect(FileKind(at: path) == .directory)
    #expect(try start(first).status == .accepted)
    _ = try await bench.end(of: first)
    let others = try (0..<16).map { _ in try bench.evaluation(of: "test") }
    #expect(try bench.get("/evaluations/\(first)").status == .notFound)
    #expect(try bench.get("/evaluations/\(others[0])").status == .ok)
    #expect(FileKind(at: path) == nil)
  }

  @Test func `nothing is left when the studio is closed`() async throws {
    let (waiting, running) = (try filled(1), try filled(3))
    let paths = [try folder(of: waiting), try folder(of: running)]
    #expect(try start(running).status == .accepted)
    try await waitUntil { gate.waiterCount > 0 }
    gate.open()
    bench.studio.close()
    for path in paths { #expect(FileKind(at: path) == nil) }
    #expect(try bench.get("/evaluations/\(running)").status == .notFound)
  }
}
