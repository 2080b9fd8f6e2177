import TensorIOBundle
import TensorIOCore
import TensorIORuntimeConformance
import TensorIOTestSupport
import Testing

/// Runtimes with errors, each of which the suite has to find.
@Suite struct NonconformingRuntimeTests {
  private func failures(
    of function: @escaping FakeModel.Function
  ) throws -> Set<ConformanceCheck> {
    let bundle = try TestBundle()
    let tensor = { TensorInfo(name: $0, elementType: .float32, shape: [1, 2]) }
    let fake = FakeModel(inputs: [tensor("x")], outputs: [tensor("y")], function)
    let rows: [[Float]] = [[1, 2], [3, 4]]
    let model = ConformanceModel(
      at: bundle.path,
      samples: rows.map { .init(["x": Tensor($0)], outputs: ["y": Tensor($0)]) })
    let report = ConformanceSuite(FakeBackend(fake)).check(
      model, [.signature, .outputs, .memory, .inPlace, .sessions, .concurrency, .state, .files])
    #expect(report.results.count == 8)
    #expect(report.description.contains(bundle.path))
    return Set(report.failures.map(\.check))
  }

  @Test func `A backend that accepts any file fails the check of files`() throws {
    #expect(try failures { $0 } == [.files])
  }

  @Test func `Wrong outputs fail the checks that compare them`() throws {
    let failures = try failures { (inputs) throws(ModelError) in inputs.map { $0.reversed() } }
    #expect(failures == [.outputs, .memory, .inPlace, .sessions, .concurrency, .state, .files])
  }

  @Test func `Memory that is smaller than the shape fails the check of memory`() throws {
    let failures = try failures { (inputs) throws(ModelError) in inputs.map { Array($0.prefix(4)) }
    }
    #expect(failures.isSuperset(of: [.memory, .outputs, .inPlace]))
  }

  @Test func `A model that does not load fails all checks`() throws {
    let bundle = try TestBundle()
    let error = ModelError(.runtime, .modelRejected(detail: "rejected"))
    let report = ConformanceSuite(FakeBackend(failingWith: error)).check(
      ConformanceModel(at: bundle.path, samples: []))
    #expect(report.failures.count == ConformanceCheck.allCases.count)
  }
}
