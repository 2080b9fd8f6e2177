import TensorIOServer
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOStudio

/// The lifecycle of evaluations.
@Suite(.hangGuard) struct EvaluationJobsTests {
  private let bundle: TestBundle
  private let gate = TestGate()
  private let harness: StudioHarness

  init() throws {
    bundle = try GatedStudioHost.bundle()
    harness = try StudioHarness([bundle.path], host: GatedStudioHost(gate: gate))
  }

  /// Creates an evaluation with uploaded images, half of which are figs.
  private func upload(_ count: Int) throws -> String {
    let id = try harness.createEvaluation(of: "test")
    for number in 0..<count {
      let path = (number % 2 == 0 ? "fig" : "plum") + "/\(number).png"
      #expect(try harness.upload(path, try GatedStudioHost.image(), to: id).status == .noContent)
    }
    return id
  }

  private func start(_ id: String) throws -> HTTPResponse {
    try harness.send(.post, "/evaluations/\(id)/start")
  }

  private func folder(of id: String) throws -> String {
    try harness.studio.jobs.job(id).source.path
  }

  @Test func `A cancelled evaluation reports the completed items`() async throws {
    let id = try upload(6)
    #expect(try start(id).status == .accepted)
    try await waitUntil { gate.waiterCount > 0 }  // In the warmup run, which is not counted.
    #expect(try harness.json("/evaluations/\(id)")["state"]?.string == "running")
    #expect(try harness.send(.delete, "/evaluations/\(id)").status == .ok)
    gate.open()
    let status = try await harness.finalStatus(of: id)
    #expect(status["state"]?.string == "cancelled" && status["total"]?.number == 6)
    #expect(status["completed"]?.number == 1 && status["report"]?["count"]?.number == 1)
    #expect(status["report"]?["metrics"]?["top1"]?.number == 1)
    #expect(try harness.get("/evaluations/\(id)/report.csv").status == .ok)
  }

  @Test func `Only two evaluations run at a time`() async throws {
    let ids = [try upload(2), try upload(4), try upload(2)]
    #expect(try start(ids[0]).status == .accepted)
    #expect(try start(ids[1]).status == .accepted)
    let rejected = try start(ids[2])
    #expect(rejected.status == .tooManyRequests && rejected.code == "too-many-evaluations")
    gate.open()
    for (id, count) in [(ids[0], 2.0), (ids[1], 4.0)] {
      let status = try await harness.finalStatus(of: id)
      #expect(status["state"]?.string == "completed" && status["completed"]?.number == count)
      #expect(status["report"]?["metrics"]?["top1"]?.number == 0.5)
    }
    #expect(try start(ids[2]).status == .accepted)
    #expect(try await harness.finalStatus(of: ids[2])["state"]?.string == "completed")
  }

  @Test func `An evaluation of a dataset that cannot start is removed`() async throws {
    let data = try TemporaryFolder()
    try data.write(try GatedStudioHost.image(), to: "figs/fig/1.png")
    let harness = try StudioHarness(
      [bundle.path], data: [data.path + "/figs"], host: GatedStudioHost(gate: gate))
    let ids = [
      try harness.createEvaluation(of: "test", on: "figs"),
      try harness.createEvaluation(of: "test", on: "figs"),
    ]
    let rejected = try harness.post("/evaluations", #"{"model": "test", "dataset": "figs"}"#)
    #expect(rejected.status == .tooManyRequests)
    gate.open()
    for id in ids {
      #expect(try await harness.finalStatus(of: id)["state"]?.string == "completed")
    }
  }

  @Test func `An evaluation that is cancelled before it starts never starts`() async throws {
    let id = try upload(2)
    let response = try harness.send(.delete, "/evaluations/\(id)")
    #expect(try response.json()["state"]?.string == "cancelled")
    #expect(try start(id).code == "already-started")
    #expect(gate.waiterCount == 0)
  }

  @Test func `The oldest finished evaluation is evicted with its images`() async throws {
    gate.open()
    let first = try upload(1)
    let path = try folder(of: first)
    #expect(FileKind(at: path) == .directory)
    #expect(try start(first).status == .accepted)
    _ = try await harness.finalStatus(of: first)
    let others = try (0..<16).map { _ in try harness.createEvaluation(of: "test") }
    #expect(try harness.get("/evaluations/\(first)").status == .notFound)
    #expect(try harness.get("/evaluations/\(others[0])").status == .ok)
    #expect(FileKind(at: path) == nil)
  }

  @Test func `An evaluation whose images are being uploaded is not evicted`() throws {
    var limits = EvaluationJobs.Limits()
    limits.maxStored = 2
    let harness = try StudioHarness(
      [bundle.path], host: GatedStudioHost(gate: gate), evaluationLimits: limits)
    let ids = try (0..<2).map { _ in try harness.createEvaluation(of: "test") }
    let rejected = try harness.post("/evaluations", #"{"model": "test"}"#)
    #expect(rejected.status == .tooManyRequests && rejected.code == "too-many-evaluations")
    for id in ids {
      let image = try GatedStudioHost.image()
      #expect(try harness.upload("fig/1.png", image, to: id).status == .noContent)
    }
    #expect(try harness.send(.delete, "/evaluations/\(ids[1])").status == .ok)
    _ = try harness.createEvaluation(of: "test")
    #expect(try harness.get("/evaluations/\(ids[0])").status == .ok)
    #expect(try harness.get("/evaluations/\(ids[1])").status == .notFound)
  }

  @Test func `An abandoned upload is evicted`() throws {
    var limits = EvaluationJobs.Limits()
    (limits.maxStored, limits.uploadTimeout) = (1, .zero)
    let harness = try StudioHarness(
      [bundle.path], host: GatedStudioHost(gate: gate), evaluationLimits: limits)
    let abandoned = try harness.createEvaluation(of: "test")
    _ = try harness.createEvaluation(of: "test")
    #expect(try harness.get("/evaluations/\(abandoned)").status == .notFound)
  }

  @Test func `Closing the studio removes all images`() async throws {
    let (waiting, running) = (try upload(1), try upload(3))
    let paths = [try folder(of: waiting), try folder(of: running)]
    #expect(try start(running).status == .accepted)
    try await waitUntil { gate.waiterCount > 0 }
    gate.open()
    harness.studio.close()
    for path in paths { #expect(FileKind(at: path) == nil) }
    #expect(try harness.get("/evaluations/\(running)").status == .notFound)
  }
}
