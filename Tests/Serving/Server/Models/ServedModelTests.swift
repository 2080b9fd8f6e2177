import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

@Suite struct ServedModelTests {
  @Test func `A run whose outputs cannot be returned counts as a failure`() throws {
    let bundle = try TestBundle()
    let served = try ServedModel("m", bundle.open(.pair))
    let input = ModelInput.value(.numbers(Numbers(.floats([1, 2]))))
    let (_, timings) = try served.run(input).get()
    #expect(served.statistics.current.inferenceCount == 1)
    #expect(throws: ModelError.self) {
      try served.counting(timings) { () throws(ModelError) in
        throw ModelError(.output, .missingBundle)
      }
    }
    #expect(served.statistics.current.successes.count == 0)
    #expect(served.statistics.current.failures.count == 1)
    served.counting(timings) {}
    #expect(served.statistics.current.successes.count == 1)
  }
}
