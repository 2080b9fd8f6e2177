import Foundation
import Synchronization
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIOTraining

/// Counts how often each item is requested.
struct CountingSource: BatchSource {
  let batch: Batch
  let fetches = Fetches()

  final class Fetches: Sendable {
    let counts = Mutex<[Int: Int]>([:])
  }

  var keys: [String] { batch.keys }
  var count: Int { batch.count }

  func item(at index: Int) throws(ModelError) -> ModelInput {
    fetches.counts.withLock { $0[index, default: 0] += 1 }
    return try batch.item(at: index)
  }
}

extension TrainingSteps {
  /// Performs all steps.
  func all() async throws -> [TrainingStep] {
    var steps: [TrainingStep] = []
    for try await step in self { steps.append(step) }
    return steps
  }
}

@Suite struct TrainerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let items: Int
    let epochs: Int
    let batchSize: Int
    let shuffles: Bool
    var testDescription: String { "\(items) items, \(epochs) epochs of \(batchSize), \(shuffles)" }
  }

  static let cases = [1, 2, 3, 7].flatMap { items in
    [1, 2, 3].flatMap { batchSize in
      [(1, true), (2, false), (3, true)].map {
        Case(items: items, epochs: $0.0, batchSize: batchSize, shuffles: $0.1)
      }
    }
  }

  @Test(arguments: cases)
  func `Each item is trained on and fetched once per epoch`(each: Case) async throws {
    let backend = LinearBackend()
    let source = CountingSource(batch: try LinearBundle.points(each.items))
    let options = Trainer.Options(
      epochs: each.epochs, batchSize: each.batchSize, shuffles: each.shuffles)
    let trainer = Trainer(try LinearBundle().open(on: backend), options)
    let steps = try await trainer.train(source).all()
    let perEpoch = (each.items + each.batchSize - 1) / each.batchSize
    #expect(steps.count == each.epochs * perEpoch)
    #expect(steps.map(\.step) == Array(1...steps.count))
    #expect(steps.map(\.itemCount).reduce(0, +) == each.items * each.epochs)
    let fetches = source.fetches.counts.withLock { $0 }
    #expect(fetches.count == each.items && fetches.values.allSatisfy { $0 == each.epochs })
    let stepInputs = backend.stepInputs.withLock { $0 }
    #expect(stepInputs.map(\.count) == steps.map(\.itemCount))
    let expected = try source.batch["x"].map { try Float($0) }.sorted()
    for epoch in 0..<each.epochs {
      let items = stepInputs[epoch * perEpoch..<(epoch + 1) * perEpoch].flatMap(\.self)
      #expect(items.sorted() == expected)
      if !each.shuffles { #expect(items == expected) }
    }
    #expect(
      steps.filter { $0.epochSummary != nil }.map(\.position.stepInEpoch)
        == Array(repeating: perEpoch, count: each.epochs))
  }

  @Test func `An empty source has no steps, and an incomplete batch can be dropped`() async throws {
    let model = try LinearBundle().open()
    let none = Batch(keys: ["x", "y"])
    #expect(try await Trainer(model).train(none).all().isEmpty)
    let options = Trainer.Options(epochs: 2, batchSize: 4, keepsLastBatch: false)
    let steps = try await Trainer(model, options).train(LinearBundle.points(11)).all()
    #expect(steps.map(\.itemCount) == [4, 4, 4, 4])
    let few = try await Trainer(model, options).train(LinearBundle.points(3)).all()
    #expect(few.isEmpty)
  }

  @Test func `The loss decreases, and the loss of an epoch is the mean over its items`()
    async throws
  {
    let options = Trainer.Options(epochs: 50, batchSize: 4, placeholders: ["rate": 0.3])
    let trainer = Trainer(try LinearBundle().open(), options)
    let steps = try await trainer.train(LinearBundle.points(10)).all()
    let first = steps.prefix(3)
    let mean = first.map { ($0.loss ?? 0) * Double($0.itemCount) }.reduce(0, +) / 10
    let end = try #require(steps[2].epochSummary)
    #expect(abs((end.loss ?? 0) - mean) < 1e-9)
    #expect(end.metrics == ["loss": end.loss ?? 0] && end.validation == nil && end.isBest)
    #expect((steps.last?.loss ?? 1) < (steps[0].loss ?? 0) / 100)
  }

  @Test func `Validation items are never trained on`() async throws {
    let backend = LinearBackend()
    let source = CountingSource(batch: try LinearBundle.points(20))
    let options = Trainer.Options(
      epochs: 3, batchSize: 4, seed: 5, validationFraction: 0.25, outputTiming: .never)
    let trainer = Trainer(try LinearBundle().open(on: backend), options)
    let steps = try await trainer.train(source).all()
    let trained = Set(backend.stepInputs.withLock { $0 }.flatMap(\.self))
    #expect(trained.count == 15 && steps.count == 12)
    #expect(steps.allSatisfy { $0.loss == nil && $0.outputs == .empty })
    let summaries = steps.compactMap(\.epochSummary)
    #expect(summaries.map(\.validation?.itemCount) == [5, 5, 5])
    #expect(summaries.allSatisfy { $0.loss == nil && ($0.validation?.loss ?? 0) > 0 })
    #expect(summaries[0].validation?.means.keys.sorted() == ["loss", "prediction"])
    #expect(source.fetches.counts.withLock { $0.values.allSatisfy { $0 == 3 } })
  }

  @Test func `Early stopping ends the training when the loss no longer decreases`() async throws {
    // With a rate of 0, no epoch is better than the first.
    let options = Trainer.Options(
      epochs: 100, batchSize: 4, earlyStoppingPatience: 3, placeholders: ["rate": 0])
    let trainer = Trainer(try LinearBundle().open(), options)
    let ends = try await trainer.train(LinearBundle.points(8)).all().compactMap(\.epochSummary)
    #expect(ends.map(\.isBest) == [true, false, false, false])
    #expect(ends.map(\.stopsEarly) == [false, false, false, true])
  }

  @Test func `A loss of NaN ends the training and reports the step`() async throws {
    let folder = try TemporaryFolder()
    let checkpoints = Trainer.Checkpoints(
      in: folder.path + "/checkpoints", every: .steps(1), maxToKeep: 1)
    let options = Trainer.Options(
      epochs: 100, batchSize: 4, placeholderSchedule: { ["rate": $0.step < 4 ? 0.1 : 1e30] },
      checkpoints: checkpoints)
    let model = try LinearBundle().open()
    var last = 0
    let error = await #expect(throws: ModelError.self) {
      for try await step in Trainer(model, options).train(try LinearBundle.points(8)) {
        last = step.step
      }
    }
    guard error?.code == "loss-not-finite", let step = error?.number("step") else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(step == last + 1 && step <= 5)
    let names = try FileManager.default.contentsOfDirectory(atPath: checkpoints.folder)
    #expect(names.contains("checkpoint-\(last)"))
    try model.restoreCheckpoint(from: "\(checkpoints.folder)/checkpoint-\(last)")
    let loss: Double = try model.evaluate(LinearBundle.points(8)).value(of: "loss")
    #expect(loss.isFinite)
  }

  @Test func `An invalid item is reported with its index in the source`() async throws {
    var batch = try LinearBundle.points(9)
    try batch.append(["x": 1, "y": [1, 2]])
    let data = batch
    let options = Trainer.Options(batchSize: 4, shuffles: false)
    let backend = LinearBackend()
    let trainer = Trainer(try LinearBundle().open(on: backend), options)
    let error = await #expect(throws: ModelError.self) { try await trainer.train(data).all() }
    #expect(error?.item == 9 && error?.layer == "y" && error?.code == "wrong-count")
    #expect(backend.stepInputs.withLock { $0.count } == 2)
    let lazy = LazyBatchSource(keys: ["x", "y"], count: 3) { (index) throws(ModelError) in
      guard index < 2 else { throw ModelError(.input, .failed("no picture")) }
      return ["x": 1, "y": 1]
    }
    let other = await #expect(throws: ModelError.self) { try await trainer.train(lazy).all() }
    #expect(other?.item == 2 && other?.reason == .failed("no picture"))
  }

  @Test(arguments: [
    Trainer.Options(batchSize: 0), Trainer.Options(epochs: -1),
    Trainer.Options(validationFraction: 1), Trainer.Options(earlyStoppingPatience: 0),
    Trainer.Options(lossOutput: "missing"),
    Trainer.Options(earlyStoppingPatience: 2, outputTiming: .never),
  ])
  func `Invalid training options are rejected`(options: Trainer.Options) async throws {
    let trainer = Trainer(try LinearBundle().open(), options)
    await #expect(throws: ModelError.self) {
      try await trainer.train(LinearBundle.points(3)).all()
    }
  }
}

@Suite struct EvaluationTests {
  @Test func `Means are taken over all items for any batch size`() async throws {
    let bundle = try LinearBundle()
    let model = try bundle.open()
    let data = try LinearBundle.points(10)
    try model.train(data)
    let oneBatch = try await model.evaluate(on: data, batchSize: 10)
    let parts = try await model.evaluate(on: data, batchSize: 3)
    #expect(parts.itemCount == 10 && parts.means.keys.sorted() == ["loss", "prediction"])
    #expect(abs((parts.loss ?? 0) - (oneBatch.loss ?? 1)) < 1e-6)
    let loss: Double = try model.evaluate(data).value(of: "loss")
    #expect(oneBatch.loss == loss)
    let named = try await model.evaluate(on: data, loss: "prediction")
    #expect(named.loss == named.means["prediction"])
    await #expect(throws: ModelError(.output, .unknownOutput("x", known: ["prediction", "loss"]))) {
      try await model.evaluate(on: data, loss: "x")
    }
    await #expect(throws: ModelError.self) { try await model.evaluate(on: data, batchSize: 0) }
  }

  @Test func `A bundle with only the mode eval can be averaged over data`() async throws {
    let bundle = try LinearBundle(modes: #"["eval"]"#)
    let model = try Model(try ModelBundle(at: bundle.path), on: LinearBackend())
    #expect(model.mode == .evaluate && model.inputs.map(\.name) == ["x", "y"])
    let averages = try await model.evaluate(on: LinearBundle.points(1))
    #expect(averages.means == ["prediction": 0, "loss": 1])
    let none = try await model.evaluate(on: Batch(keys: ["x", "y"]))
    #expect(none.itemCount == 0 && none.loss == nil && none.means.isEmpty)
  }
}

@Suite struct TrainerConcurrencyTests {
  @Test func `Leaving the loop ends the training`() async throws {
    let backend = LinearBackend()
    let options = Trainer.Options(epochs: 100, batchSize: 1)
    let trainer = Trainer(try LinearBundle().open(on: backend), options)
    for try await step in trainer.train(try LinearBundle.points(5)) where step.step == 7 { break }
    try await Task.sleep(for: .milliseconds(30))
    #expect(backend.stepInputs.withLock { $0.count } == 7)
  }

  @Test(.hangGuard)
  func `A canceled task ends between two steps`() async throws {
    let backend = LinearBackend()
    let options = Trainer.Options(epochs: 1_000_000, batchSize: 1)
    let trainer = Trainer(try LinearBundle().open(on: backend), options)
    let task = Task {
      var count = 0
      do {
        for try await _ in trainer.train(try LinearBundle.points(5)) { count += 1 }
      } catch {
        return (count, error as? ModelError)
      }
      return (count, nil)
    }
    try await waitUntil { backend.stepInputs.withLock { $0.count } > 3 }
    task.cancel()
    let (count, error) = await task.value
    #expect(error == ModelError(.run, .cancelled))
    #expect(backend.stepInputs.withLock { $0.count } == count)
  }

  @Test(.hangGuard)
  func `The next batch is prepared during a step`() async throws {
    let backend = LinearBackend()
    let batch = try LinearBundle.points(6)
    let counting = CountingSource(batch: batch)
    // Items that are created quickly are not prepared on another thread.
    let source = LazyBatchSource(keys: batch.keys, count: 6) { (index) throws(ModelError) in
      Thread.sleep(forTimeInterval: 0.001)
      return try counting.item(at: index)
    }
    let fetched: @Sendable () -> Int = {
      counting.fetches.counts.withLock { $0.values.reduce(0, +) }
    }
    let gate = TestGate()
    backend.duringStep.withLock { $0 = { gate.wait() } }
    let options = Trainer.Options(batchSize: 2)
    let trainer = Trainer(try LinearBundle().open(on: backend), options)
    let steps = Task { try await trainer.train(source).all() }
    try await waitUntil { gate.waiterCount == 1 && fetched() == 4 }
    gate.open()
    #expect(try await steps.value.count == 3)
    #expect(fetched() == 6)
  }

  @Test(.hangGuard)
  func `Trainings on all threads of Swift's pool do not block each other`() async throws {
    let data = try LinearBundle.points(8)
    let model = try LinearBundle().open()
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for seed in 0..<32 {
        let options = Trainer.Options(epochs: 2, batchSize: 3, seed: UInt64(seed))
        group.addTask { try await Trainer(model, options).train(data).all().count }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: 6, count: 32))
  }
}

@Suite struct TrainingOrderTests {
  @Test(arguments: 0..<50)
  func `Every split and every order is a permutation`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let count = Int.random(in: 0...200, using: &random)
    let fraction = Double.random(in: 0..<1, using: &random)
    let order = TrainingOrder(
      count: count, validationFraction: fraction, seed: UInt64(seed), isShuffled: true)
    #expect((order.training + order.validation).sorted() == Array(0..<count))
    #expect(abs(Double(order.validation.count) - fraction * Double(count)) <= 0.5)
    for epoch in 0..<4 {
      let items = order.items(ofEpoch: epoch)
      #expect(items.sorted() == order.training)
      #expect(items == order.items(ofEpoch: epoch))
    }
    if order.training.count > 20 {
      #expect(order.items(ofEpoch: 0) != order.items(ofEpoch: 1))
      #expect(order.items(ofEpoch: 0) != order.training)
    }
  }

  @Test func `All orders are equally likely`() {
    var counts: [[Int]: Int] = [:]
    for seed in 0..<6000 {
      let order = TrainingOrder(
        count: 3, validationFraction: 0, seed: UInt64(seed), isShuffled: true)
      counts[order.items(ofEpoch: 0), default: 0] += 1
    }
    #expect(counts.count == 6 && counts.values.allSatisfy { (850...1150).contains($0) })
  }

  @Test func `An order is stable across versions`() {
    let order = TrainingOrder(count: 8, validationFraction: 0.25, seed: 1, isShuffled: true)
    #expect(order.validation == [3, 7])
    #expect(order.items(ofEpoch: 0) == [6, 4, 0, 2, 1, 5])
    #expect(order.items(ofEpoch: 1) == [5, 4, 6, 2, 1, 0])
  }
}
