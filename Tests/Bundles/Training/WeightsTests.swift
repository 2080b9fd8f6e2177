import Synchronization
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTraining

@Suite struct WeightsTests {
  private static func number(_ value: Float) -> Tensor { Tensor([value], shape: []) }

  @Test func `Trainable variables are the default, and the order is that of the model`() throws {
    let model = try LinearBundle().open()
    try model.train(LinearBundle.points(8))
    #expect(try model.variables().map(\.name) == ["w"])
    #expect(try model.variables(.all).map(\.name) == ["w", "b"])
    #expect(try Array(model.weights().keys) == ["w"])
    #expect(try Set(model.weights(.all).keys) == ["w", "b"])
  }

  private final class CallRecorder: Sendable {
    private let calls = Mutex<Set<String>>([])
    var names: Set<String> { calls.withLock { $0 } }
    func record(_ name: String) { calls.withLock { _ = $0.insert(name) } }
  }

  @Test func `A session with copied weights has all abilities of the one that it wraps`() throws {
    let (backend, recorder) = (LinearBackend(), CallRecorder())
    let trained = try LinearBundle().open(on: backend)
    var given = SessionAbilities()
    given.discardInputs = { recorder.record("discardInputs") }
    given.setCancelled = { _ in recorder.record("setCancelled") }
    given.resetState = { recorder.record("resetState") }
    given.operatorEvents = {
      recorder.record("operatorEvents")
      return []
    }
    given.train = { _ in recorder.record("train") }
    backend.sessionAbilities.withLock { $0 = given }
    let model = try #require(
      trained.bundle.load(for: .train, on: backend).abilities.training)
    let abilities = try WeightSyncedModel(model, syncedWith: TrainedWeights(model))
      .makeSession(SessionOptions()).abilities
    #expect(abilities.names == SessionAbilities.allNames)
    abilities.discardInputs?()
    abilities.setCancelled?(true)
    try abilities.resetState?()
    _ = try abilities.operatorEvents?()
    try abilities.train?(.never)
    #expect(recorder.names == SessionAbilities.allNames)
  }

  @Test(arguments: [true, false])
  func `Weights of one model make another one equal`(_ sharesGraphs: Bool) throws {
    let (trained, other) = (
      try LinearBundle().open(on: LinearBackend(sharesGraphs: sharesGraphs)),
      try LinearBundle().open(on: LinearBackend(sharesGraphs: sharesGraphs))
    )
    let predictions = try other.predictionModel()
    let before = try predictions.run(0.5)
    try trained.train(LinearBundle.points(8))
    try other.setWeights(trained.weights(.all))
    #expect(try other.weights(.all) == trained.weights(.all))
    let after = try predictions.run(0.5)
    #expect(after != before)
    #expect(try after == trained.predictionModel().run(0.5))
  }

  @Test func `Values that do not fit are an error, and nothing is assigned`() throws {
    let model = try LinearBundle().open()
    try model.train(LinearBundle.points(8))
    let before = try model.weights(.all)
    let cases: [([String: Tensor], ModelError)] = [
      (
        ["b": Self.number(1)],
        ModelError(.input, .weightNames(missing: ["w"], unexpected: []))
      ),
      (
        ["w": Self.number(1), "c": Self.number(1)],
        ModelError(.input, .weightNames(missing: [], unexpected: ["c"]))
      ),
      (
        ["b": Self.number(1), "w": Tensor([1, 2] as [Float])],
        ModelError(.input, .wrongShape(expected: "[]", actual: "[2]"), layer: "w")
      ),
      (
        ["b": Self.number(1), "w": Tensor([1] as [Double], shape: [])],
        ModelError(.input, .wrongType(expected: "float32", actual: "float64"), layer: "w")
      ),
    ]
    for (values, expected) in cases {
      #expect(throws: expected) { try model.setWeights(values) }
      #expect(try model.weights(.all) == before)
    }
  }

  @Test func `Some of the variables can be assigned if that is intended`() throws {
    let model = try LinearBundle().open()
    try model.train(LinearBundle.points(8))
    let before = try model.weights()
    try model.setWeights(["b": Self.number(7)], allowingPartial: true)
    #expect(try model.weights() == before)
    #expect(try model.weights(.all)["b"] == Self.number(7))
    #expect(throws: ModelError(.input, .weightNames(missing: [], unexpected: ["c"]))) {
      try model.setWeights(["c": Self.number(7)], allowingPartial: true)
    }
  }
}
