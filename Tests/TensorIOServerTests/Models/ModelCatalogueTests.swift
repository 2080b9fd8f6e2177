import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOServer
import TensorIOTestSupport
import Testing

@Suite struct ModelCatalogueTests {
  private static let refusal = ModelError(.runtime, .modelRejected(detail: "/secret/model"))

  private static func entry(_ name: String) -> ModelCatalog.Entry {
    .init(name: name, path: "/secret/\(name)", bundle: nil)
  }

  private static func broken(_ name: String) -> ModelCatalog.Entry {
    .init(
      name: name, path: "/secret/\(name)",
      bundle: .failure(ModelError(.bundle, .missingBundle, file: "/secret")))
  }

  @Test(.timeLimit(.minutes(1))) func `several threads that ask at once have one model opened`()
    async throws
  {
    let (bundle, gate, count) = (try TestBundle(), TestGate(), Counter())
    let model = try bundle.open(.pair)
    let catalogue = ModelCatalog([Self.entry("pair"), Self.entry("other")]) {
      (entry) throws(ModelError) in
      count.increment()
      if entry.name == "pair" { gate.wait() }
      return model
    }
    async let names = withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { await onNewThread { try? catalogue.model(named: "pair").name } }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    try await waitUntil { gate.waiterCount == 1 }
    #expect(catalogue.statuses.map(\.state) == [.loading, .unloaded])
    // Another model has not to wait for it.
    #expect(try catalogue.model(named: "other").name == "other")
    gate.open()
    #expect(await names == Array(repeating: "pair", count: 8))
    #expect(count.value == 2)
    #expect(catalogue.statuses.map(\.state) == [.ready, .ready])
    #expect(catalogue.statuses.map(\.bundle?.id) == ["test", "test"])
  }

  @Test func `a failure is told again, and opening is not tried each time`() {
    let count = Counter()
    let catalogue = ModelCatalog([Self.entry("a")]) { (_) throws(ModelError) in
      count.increment()
      throw Self.refusal
    }
    for _ in 0..<100 {
      #expect(throws: Self.refusal) { try catalogue.model(named: "a") }
    }
    #expect(count.value == 1)
    #expect(catalogue.statuses.map(\.state) == [.failed(Self.refusal)])
    catalogue.reopenAll()
    #expect(throws: Self.refusal) { try catalogue.model(named: "a") }
    #expect(count.value == 2)
  }

  @Test func `a broken bundle is listed, and never opened`() {
    let count = Counter()
    let catalogue = ModelCatalog([Self.broken("a")]) { (_) throws(ModelError) in
      count.increment()
      throw Self.refusal
    }
    #expect(throws: ModelError(.bundle, .missingBundle, file: "/secret")) {
      try catalogue.model(named: "a")
    }
    #expect(catalogue.statuses.map(\.state.label) == ["failed"])
    #expect(count.value == 0)
  }

  @Test func `entries come and go`() throws {
    let bundle = try TestBundle()
    let model = try bundle.open(.pair)
    let catalogue = ModelCatalog([Self.broken("a"), Self.entry("b")]) { _ in model }
    catalogue.add(Self.entry("c"))
    catalogue.add(Self.entry("a"))
    #expect(catalogue.entries.map(\.name) == ["a", "b", "c"])
    #expect(try catalogue.model(named: "a").name == "a")
    let kept = try catalogue.model(named: "b")
    catalogue.remove(named: "b")
    #expect(try kept.model.run([1, 2] as [Float]).layers.count == 1)
    #expect(throws: ModelError(.bundle, .unknownBundle("b", known: ["a", "c"]))) {
      try catalogue.model(named: "b")
    }
  }
}
