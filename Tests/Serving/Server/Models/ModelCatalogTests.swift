import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOServer
import TensorIOTestSupport
import Testing

@Suite struct ModelCatalogTests {
  private static let modelRejected = ModelError(.runtime, .modelRejected(detail: "/secret/model"))

  private static func entry(_ name: String) -> ModelCatalog.Entry {
    .init(name: name, path: "/secret/\(name)", bundle: nil)
  }

  private static func broken(_ name: String) -> ModelCatalog.Entry {
    .init(
      name: name, path: "/secret/\(name)",
      bundle: .failure(ModelError(.bundle, .missingBundle, file: "/secret")))
  }

  @Test(.hangGuard) func `Concurrent requests for a model open it once`()
    async throws
  {
    let (bundle, gate, count) = (try TestBundle(), TestGate(), Counter())
    let model = try bundle.open(.pair)
    let catalog = ModelCatalog([Self.entry("pair"), Self.entry("other")]) {
      (entry) throws(ModelError) in
      count.increment()
      if entry.name == "pair" { gate.wait() }
      return model
    }
    async let names = withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { await onNewThread { try? catalog.model(named: "pair").name } }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    try await waitUntil { gate.waiterCount == 1 }
    #expect(catalog.statuses.map(\.state) == [.loading, .unloaded])
    // Another model does not wait for it.
    #expect(try catalog.model(named: "other").name == "other")
    gate.open()
    #expect(await names == Array(repeating: "pair", count: 8))
    #expect(count.value == 2)
    #expect(catalog.statuses.map(\.state) == [.ready, .ready])
    #expect(catalog.statuses.map(\.bundle?.id) == ["test", "test"])
  }

  @Test func `A failure is cached`() {
    let count = Counter()
    let catalog = ModelCatalog([Self.entry("a")]) { (_) throws(ModelError) in
      count.increment()
      throw Self.modelRejected
    }
    for _ in 0..<100 {
      #expect(throws: Self.modelRejected) { try catalog.model(named: "a") }
    }
    #expect(count.value == 1)
    #expect(catalog.statuses.map(\.state) == [.failed(Self.modelRejected)])
    catalog.reopenAll()
    #expect(throws: Self.modelRejected) { try catalog.model(named: "a") }
    #expect(count.value == 2)
  }

  @Test func `An invalid bundle is listed and never opened`() {
    let count = Counter()
    let catalog = ModelCatalog([Self.broken("a")]) { (_) throws(ModelError) in
      count.increment()
      throw Self.modelRejected
    }
    #expect(throws: ModelError(.bundle, .missingBundle, file: "/secret")) {
      try catalog.model(named: "a")
    }
    #expect(catalog.statuses.map(\.state.label) == ["failed"])
    #expect(count.value == 0)
  }

  @Test func `Entries can be added, replaced and removed`() throws {
    let bundle = try TestBundle()
    let model = try bundle.open(.pair)
    let catalog = ModelCatalog([Self.broken("a"), Self.entry("b")]) { _ in model }
    catalog.add(Self.entry("c"))
    catalog.add(Self.entry("a"))
    #expect(catalog.entries.map(\.name) == ["a", "b", "c"])
    #expect(try catalog.model(named: "a").name == "a")
    let removed = try catalog.model(named: "b")
    catalog.remove(named: "b")
    #expect(try removed.model.run([1, 2] as [Float]).layers.count == 1)
    #expect(throws: ModelError(.bundle, .unknownBundle("b", known: ["a", "c"]))) {
      try catalog.model(named: "b")
    }
  }

  @Test func `Crashes and suspensions are reported`() throws {
    let bundle = try TestBundle()
    let crash = ModelError(.run, .workerCrashed(detail: "it was killed"))
    let model = try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "t", elementType: .float32, shape: [1, 2])],
        outputs: [TensorInfo(name: "t", elementType: .float32, shape: [1, 2])]
      ) { (_) throws(ModelError) in throw crash })
    let events = Mutex<[String]>([])
    let catalog = ModelCatalog(
      [.init(name: "m", path: "m", bundle: nil)],
      onChange: { change in events.withLock { $0.append("\(change.event) \(change.name)") } },
      opener: { (_) throws(ModelError) in model })
    let served = try catalog.model(named: "m")
    for _ in 0..<CircuitBreaker.maxFailures {
      _ = served.run(.value(.numbers(Numbers(.floats([1, 2])))))
    }
    let crashed = "crashed(\(crash)) m"
    #expect(
      events.withLock(\.self) == [crashed, crashed, crashed, "suspended(seconds: 5) m"])
  }
}
