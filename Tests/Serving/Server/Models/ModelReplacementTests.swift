import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Versions of models that come and go while requests use them.
@Suite(.hangGuard) struct ModelReplacementTests {
  private static let rejected = ModelError(.runtime, .modelRejected(detail: "damaged"))

  /// A catalog whose models are opened by closures, by path.
  private final class Host: Sendable {
    let bundle: TestBundle
    let model: Model
    let failing = Mutex<Set<String>>([])
    let gate = Mutex<TestGate?>(nil)
    let opened = Mutex<[String]>([])
    let changes = Mutex<[String]>([])

    init() throws {
      bundle = try TestBundle()
      model = try bundle.open(.pair)
    }

    func catalog(
      _ entries: [ModelCatalog.Entry], settings: ServingSettings = ServingSettings()
    ) -> ModelCatalog {
      ModelCatalog(
        entries, settings: settings,
        onChange: { [self] change in
          changes.withLock { $0.append("\(change.event) \(change.name) \(change.version)") }
        },
        opener: { [self] (entry) throws(ModelError) in
          gate.withLock(\.self)?.wait()
          opened.withLock { $0.append(entry.path) }
          if failing.withLock({ $0.contains(entry.path) }) {
            throw ModelReplacementTests.rejected
          }
          return model
        })
    }
  }

  private func entry(
    _ version: String, path: String? = nil, settings: ServingSettings? = nil
  ) -> ModelCatalog.Entry {
    .init(name: "m", version: version, path: path ?? version, bundle: nil, settings: settings)
  }

  @Test func `The newest version is served, and others only if the policy selects them`()
    async throws
  {
    let host = try Host()
    let catalog = host.catalog([entry("2"), entry("10"), entry("1")])
    catalog.openAll()
    try await waitUntil { catalog.readiness.isReady }
    #expect(try catalog.model(named: "m").version == "10")
    #expect(throws: ModelError.self) { try catalog.model(ModelSelector("m", version: "2")) }
    #expect(host.opened.withLock(\.self) == ["10"])
    let all = host.catalog(
      [entry("2"), entry("10"), entry("1")],
      settings: ServingSettings(policy: .all, labels: ["stable": "2", "canary": "10", "old": "7"]))
    all.openAll()
    try await waitUntil { all.statuses.allSatisfy { $0.state == .ready } }
    #expect(try all.model(ModelSelector("m", version: "1")).version == "1")
    #expect(try all.model(ModelSelector("m", label: "stable")).version == "2")
    #expect(try all.model(ModelSelector("m", label: "canary")).version == "10")
    #expect(throws: ModelError.self) { try all.model(ModelSelector("m", label: "old")) }
    #expect(all.readiness.missingLabels == [ModelSelector("m", label: "old")])
    let metrics = ServerMetrics().prometheusText(all.statuses, ServerStatus(), all.readiness)
    #expect(
      String(decoding: metrics, as: UTF8.self)
        .contains("tensorio_model_missing_label{model=\"m\",label=\"old\"} 1\n"))
  }

  @Test func `A new version is opened before the old one is closed`() async throws {
    let host = try Host()
    let catalog = host.catalog([entry("1")])
    catalog.openAll()
    try await waitUntil { catalog.readiness.isReady }
    let gate = TestGate()
    host.gate.withLock { $0 = gate }
    catalog.add(entry("2"))
    try await waitUntil { gate.waiterCount == 1 }
    #expect(try catalog.model(named: "m").version == "1")
    gate.open()
    try await waitUntil { (try? catalog.model(named: "m").version) == "2" }
    try await waitUntil { catalog.statuses.map(\.state) == [.ready, .unloaded] }
  }

  @Test func `A version that cannot be opened leaves its predecessor in service`() async throws {
    let host = try Host()
    host.failing.withLock { $0 = ["2"] }
    let catalog = host.catalog([entry("1")])
    catalog.openAll()
    try await waitUntil { catalog.readiness.isReady }
    catalog.add(entry("2"))
    try await waitUntil { catalog.statuses.map(\.state) == [.failed(Self.rejected), .ready] }
    #expect(try catalog.model(named: "m").version == "1")
    #expect(catalog.readiness.isReady)
  }

  @Test func `A broken replacement keeps the old bundle and is reported`() async throws {
    let host = try Host()
    host.failing.withLock { $0 = ["broken"] }
    let catalog = host.catalog([entry("1")])
    catalog.openAll()
    try await waitUntil { catalog.readiness.isReady }
    let old = try catalog.model(named: "m")
    catalog.add(entry("1", path: "broken"))
    try await waitUntil { catalog.statuses[0].replacementError == Self.rejected }
    #expect(try catalog.model(named: "m") === old)
    func metrics() -> String {
      String(
        decoding: ServerMetrics().prometheusText(
          catalog.statuses, ServerStatus(), catalog.readiness), as: UTF8.self)
    }
    let failed = "tensorio_model_replacement_failed{model=\"m\",version=\"1\"}"
    #expect(metrics().contains("\(failed) 1\n") && metrics().contains("tensorio_ready 1\n"))
    #expect(
      host.changes.withLock(\.last) == "replacementFailed(\(Self.rejected)) m 1")
    catalog.add(entry("1", path: "repaired"))
    try await waitUntil { (try? catalog.model(named: "m")) !== old }
    #expect(catalog.statuses.map(\.replacementError) == [nil])
    #expect(catalog.statuses.map(\.entry.path) == ["repaired"])
    #expect(metrics().contains("\(failed) 0\n"))
  }

  @Test(arguments: [true, false])
  func `A replacement with another version takes over once it is open`(
    isLazy: Bool
  ) async throws {
    let host = try Host()
    let catalog = host.catalog([entry("1", path: "bundle")])
    if !isLazy { catalog.openAll() }
    let old = try catalog.model(named: "m")
    _ = old.run(.value(.numbers(Numbers(.floats([1, 2])))))
    host.failing.withLock { $0 = ["bundle"] }
    catalog.add(entry("2", path: "bundle"))
    try await waitUntil { catalog.statuses.first?.replacementError == Self.rejected }
    #expect(try catalog.model(named: "m") === old)
    #expect(catalog.statuses.map(\.entry.version) == ["1"])
    host.failing.withLock { $0 = [] }
    catalog.add(entry("3", path: "bundle"))
    try await waitUntil { (try? catalog.model(named: "m").version) == "3" }
    #expect(catalog.statuses.map(\.entry.version) == ["3"])
    #expect(catalog.statuses.map(\.replacementError) == [nil])
    #expect(catalog.statuses[0].statistics.current.inferenceCount == 0)
  }

  @Test(arguments: [true, false])
  func `A replacement that takes long does not affect a newer one`(fails: Bool) async throws {
    let host = try Host()
    let catalog = host.catalog([entry("1", path: "bundle")])
    catalog.openAll()
    try await waitUntil { catalog.readiness.isReady }
    let gate = TestGate()
    host.gate.withLock { $0 = gate }
    catalog.add(entry("2", path: "bundle"))
    try await waitUntil { gate.waiterCount == 1 }
    host.gate.withLock { $0 = nil }
    catalog.add(entry("3", path: "bundle"))
    try await waitUntil { (try? catalog.model(named: "m").version) == "3" }
    if fails { host.failing.withLock { $0 = ["bundle"] } }
    gate.open()
    try await waitUntil { host.opened.withLock(\.count) == 3 }
    try await Task.sleep(for: .milliseconds(100))
    #expect(catalog.statuses.map(\.entry.version) == ["3"])
    #expect(catalog.statuses.map(\.replacementError) == [nil])
  }

  @Test func `A replacement whose version the policy does not select is not opened`() async throws {
    let host = try Host()
    let settings = ServingSettings(policy: .specific(["1"]))
    let catalog = host.catalog([entry("1", path: "bundle")], settings: settings)
    catalog.openAll()
    try await waitUntil { catalog.readiness.ready == ["m"] }
    catalog.add(entry("2", path: "bundle"))
    #expect(throws: ModelError.self) { try catalog.model(named: "m") }
    #expect(host.opened.withLock(\.self) == ["bundle"])
  }

  @Test func `Counts continue when a bundle is replaced`() async throws {
    let host = try Host()
    let catalog = host.catalog([entry("1")])
    catalog.openAll()
    try await waitUntil { catalog.readiness.isReady }
    _ = try catalog.model(named: "m").run(.value(.numbers(Numbers(.floats([1, 2])))))
    let old = try catalog.model(named: "m")
    catalog.add(entry("1", path: "new"))
    try await waitUntil { (try? catalog.model(named: "m")) !== old }
    _ = try catalog.model(named: "m").run(.value(.numbers(Numbers(.floats([1, 2])))))
    #expect(catalog.statuses[0].statistics.current.inferenceCount == 2)
  }

  @Test func `An unloaded model is unknown until it is loaded again`() async throws {
    let host = try Host()
    let catalog = host.catalog([entry("1")])
    catalog.openAll()
    try await waitUntil { catalog.readiness.isReady }
    let running = try catalog.model(named: "m")
    #expect(catalog.unload("m"))
    #expect(!catalog.unload("other"))
    #expect(throws: ModelError.self) { try catalog.model(named: "m") }
    #expect(throws: Never.self) { try running.model.run([1, 2] as [Float]) }
    let loaded = Mutex<Bool?>(nil)
    catalog.load("m") { result in
      loaded.withLock { $0 = (try? result.get()) != nil }
    }
    try await waitUntil { loaded.withLock(\.self) == true }
    #expect(try catalog.model(named: "m").version == "1")
  }

  @Test func `Only the models of the start delay readiness`() async throws {
    let host = try Host()
    let gate = TestGate()
    host.gate.withLock { $0 = gate }
    let catalog = host.catalog([entry("1")])
    let service = InferenceService(
      catalog, ServerMetrics(), version: "1", status: ServerStatus())
    catalog.openAll()
    try await waitUntil { gate.waiterCount == 1 }
    #expect(!catalog.readiness.isReady)
    gate.open()
    try await waitUntil { catalog.readiness.isReady }
    let later = TestGate()
    host.gate.withLock { $0 = later }
    catalog.add(.init(name: "later", path: "later", bundle: nil))
    try await waitUntil { later.waiterCount == 1 }
    #expect(catalog.readiness.isReady && catalog.readiness.loading == ["later"])
    #expect(try !service.isReady(ModelSelector("later")))
    #expect(catalog.unload("m"))
    later.open()
    try await waitUntil { (try? service.isReady(ModelSelector("later"))) == true }
    #expect(catalog.readiness.isReady)
  }

  @Test func `A server without a model that can be used is not ready`() async throws {
    let host = try Host()
    let catalog = host.catalog([entry("1")])
    catalog.openAll()
    try await waitUntil { catalog.readiness.isReady }
    #expect(catalog.unload("m"))
    #expect(!catalog.readiness.isReady)
    #expect(!host.catalog([]).readiness.isReady)
    // A policy that selects no version.
    let settings = ServingSettings(policy: .specific(["7"]))
    #expect(!host.catalog([entry("1")], settings: settings).readiness.isReady)
    #expect(ModelCatalog([], mayBeEmpty: true) { _ in host.model }.readiness.isReady)
  }

  @Test func `A request for a model that is being opened holds no thread`() async throws {
    let host = try Host()
    let gate = TestGate()
    host.gate.withLock { $0 = gate }
    let catalog = host.catalog([entry("1")])
    let version = Mutex<String?>(nil)
    Task.immediate { @Sendable in
      let served = try? await catalog.openModel(ModelSelector("m"))
      version.withLock { $0 = served?.version ?? "" }
    }
    // The task has returned to this thread.
    try await waitUntil { gate.waiterCount == 1 }
    #expect(version.withLock(\.self) == nil)
    gate.open()
    try await waitUntil { version.withLock(\.self) == "1" }
  }

  @Test func `A request runs on the model whose metadata it was read with`() async throws {
    let host = try Host()
    let catalog = host.catalog([entry("1")])
    catalog.openAll()
    try await waitUntil { catalog.readiness.isReady }
    let service = InferenceService(
      catalog, ServerMetrics(), version: "1", status: ServerStatus())
    let selector = ModelSelector("m")
    let read:
      @Sendable (InferenceModelMetadata) throws(ClientError) -> (
        InferenceRequest, PredictRequestReader.Layout
      ) = { (metadata) throws(ClientError) in
        // The model is replaced after its metadata were read.
        catalog.add(entry("2"))
        catalog.remove(named: "m", path: "1")
        let pair = Tensor([1, 2] as [Float], shape: [1, 2])
        let input = InferenceTensor("x", .fp32, shape: [1, 2], .tensor(pair))
        return (PredictRequestReader(selector, metadata).request([input]), .rows)
      }
    let response = try await service.predict(selector, RequestContext(), read).response
    #expect(response.outputs.first?.binary.count == 8)
    #expect(throws: ModelError.self) { try catalog.model(ModelSelector("m", version: "1")) }
  }
}
