import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOIsolation

/// The requests for steps that a worker process handles, without a process.
@Suite struct WorkerStepTests {
  /// A sequence of equal scores: the last token is their number, and the sum of all tokens is their value.
  private final class Steps: StepSession, @unchecked Sendable {  // used by one test at a time
    private var tokens: [Int32] = []
    var count: Int { tokens.count }
    let capacity: Int? = 8
    let vocabularySize = 4
    let hasScoresOfEveryToken = true

    func cacheByteCount(for count: Int) -> Int { 100 + 7 * count }

    func append(_ tokens: [Int32], returning outputs: [String]) throws(ModelError) -> [Tensor] {
      guard self.tokens.count + tokens.count <= 8 else { throw ModelError(.run, .failed("full")) }
      self.tokens += tokens
      return outputs.map { _ in Tensor(tokens.map(Float.init)) }
    }

    func readScores(
      after index: Int, _ body: (Span<Float>) throws(ModelError) -> Void
    ) throws(ModelError) {
      guard tokens.indices ~= index else { throw ModelError(.run, .failed("none")) }
      let scores = [Float](
        repeating: Float(tokens[...index].reduce(0, +)), count: Int(tokens[index]))
      try body(scores.span)
    }

    func begin(with values: [String: Tensor]) throws(ModelError) {
      // The numbers are the tokens that the caches hold.
      tokens = try values["a"]?.array(of: Int32.self) ?? []
    }

    func truncate(to count: Int) { tokens.removeLast(max(0, tokens.count - count)) }
    func fork() throws(ModelError) -> any StepSession { self }
    func setCancelled(_ isCancelled: Bool) {}
  }

  private struct Model: SteppableRuntimeModel {
    let signature = ModelSignature(name: "m", inputs: [], outputs: [])
    var signatures: [ModelSignature] { [signature] }
    var abilities: ModelAbilities {
      var abilities = ModelAbilities()
      abilities.steps = self
      return abilities
    }

    func makeStepSession() throws(ModelError) -> any StepSession { Steps() }

    func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
      throw ModelError(.runtime, .unsupported("sessions"))
    }
  }

  private let memory: SharedMemory
  private var handler: WorkerRequestHandler

  init() throws {
    memory = try #require(SharedMemory(byteCount: 4 * MemoryLayout<Float>.stride))
    handler = WorkerRequestHandler([], model: Model())
  }

  private mutating func attachMemory() {
    let request = WorkerRequest.attachMemory(.outputs, byteCount: memory.byteCount)
    #expect(handler.handle(request, dup(memory.descriptor)) == .done)
  }

  private var scores: [Float] {
    var scores: [Float] = []
    memory.readNumbers(copying: true) { (numbers: Span<Float>) in
      for index in numbers.indices { scores.append(numbers[index]) }
    }
    return scores
  }

  @Test mutating func `A step keeps the first tokens and writes the scores`() {
    #expect(
      handler.handle(.makeStepSession, nil)
        == .stepSessionMade(
          StepSessionInfo(
            capacity: 8, vocabularySize: 4, hasScoresOfEveryToken: true, baseByteCount: 100,
            byteCountPerToken: 7)))
    attachMemory()
    #expect(handler.handle(.step(after: 0, tokens: [1, 2, 4]), nil) == .done)
    #expect(scores == [7, 7, 7, 7])
    #expect(handler.handle(.step(after: 2, tokens: [10, 4]), nil) == .done)
    #expect(scores == [17, 17, 17, 17])
    #expect(
      handler.handle(.step(after: 4, tokens: [4, 4, 4, 4, 4]), nil)
        == .failed(ModelError(.run, .failed("full"))))
    // New caches are empty.
    _ = handler.handle(.makeStepSession, nil)
    #expect(handler.handle(.step(after: 0, tokens: [4]), nil) == .done)
    #expect(scores == [4, 4, 4, 4])
  }

  @Test mutating func `The scores of each token of a step can be written`() {
    _ = handler.handle(.makeStepSession, nil)
    let unexpected = WorkerResponse.failed(.unexpectedRequest)
    #expect(handler.handle(.writeScores(after: 0), nil) == unexpected, "no memory")
    attachMemory()
    _ = handler.handle(.step(after: 0, tokens: [4, 4, 4]), nil)
    #expect(handler.handle(.writeScores(after: 1), nil) == .done)
    #expect(scores == [8, 8, 8, 8])
    #expect(
      handler.handle(.writeScores(after: 3), nil) == .failed(ModelError(.run, .failed("none"))))
    #expect(scores == [8, 8, 8, 8])
  }

  @Test mutating func `Values of another function come from the shared memory`() throws {
    _ = handler.handle(.makeStepSession, nil)
    attachMemory()
    let unexpected = WorkerResponse.failed(.unexpectedRequest)
    let cache = GivenCache(input: "a", elementType: .int32, shape: [3], range: 4..<16)
    #expect(handler.handle(.beginSteps([cache]), nil) == unexpected, "no memory for inputs")
    let inputs = try #require(SharedMemory(byteCount: 16))
    #expect(inputs.copy([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0], into: 4..<16))
    let attach = WorkerRequest.attachMemory(.inputs, byteCount: inputs.byteCount)
    #expect(handler.handle(attach, dup(inputs.descriptor)) == .done)
    #expect(handler.handle(.beginSteps([cache]), nil) == .done)
    #expect(handler.handle(.step(after: 3, tokens: [4]), nil) == .done)
    #expect(scores == [10, 10, 10, 10])
    let outside = GivenCache(input: "a", elementType: .int32, shape: [4], range: 4..<20)
    #expect(handler.handle(.beginSteps([outside]), nil) == unexpected)
    let wrong = GivenCache(input: "a", elementType: .int32, shape: [2], range: 4..<16)
    guard case .failed(let error) = handler.handle(.beginSteps([wrong]), nil) else {
      Issue.record("a shape that does not fit was taken")
      return
    }
    #expect(error.code == "wrong-byte-count")
  }

  @Test mutating func `A step that does not fit the caches or the memory is an error`() {
    let unexpected = WorkerResponse.failed(.unexpectedRequest)
    #expect(handler.handle(.step(after: 0, tokens: [4]), nil) == unexpected, "no caches")
    _ = handler.handle(.makeStepSession, nil)
    #expect(handler.handle(.step(after: 0, tokens: [4]), nil) == unexpected, "no memory")
    attachMemory()
    #expect(handler.handle(.step(after: 1, tokens: [4]), nil) == unexpected, "too few tokens")
    for count in [3, 5] as [Int32] {
      #expect(handler.handle(.step(after: 0, tokens: [count]), nil) == unexpected)
    }
    #expect(scores == [0, 0, 0, 0], "nothing was written")
    #expect(handler.handle(.step(after: 0, tokens: [4]), nil) == .done)
  }
}
