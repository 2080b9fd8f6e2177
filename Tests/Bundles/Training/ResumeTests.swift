import Foundation
import Synchronization
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIOTraining

@Suite(.ownThreads) struct ResumeTests {
  private let folder: TemporaryFolder
  private let checkpoints: Trainer.Checkpoints

  init() throws {
    folder = try TemporaryFolder()
    checkpoints = Trainer.Checkpoints(in: folder.path + "/c", every: .steps(1), maxToKeep: 100)
  }

  private func options(_ checkpoints: Trainer.Checkpoints?, resuming: Bool = false)
    -> Trainer.Options
  {
    var checkpoints = checkpoints
    checkpoints?.resumes = resuming
    return Trainer.Options(
      epochs: 4, batchSize: 3, seed: 9, validationFraction: 0.2, earlyStoppingPatience: 3,
      checkpoints: checkpoints)
  }

  private func steps(
    _ options: Trainer.Options, upTo last: Int = .max, items: Int = 10
  ) async throws -> [TrainingStep] {
    let trainer = Trainer(try LinearBundle().open(), options)
    var steps: [TrainingStep] = []
    for try await step in trainer.train(try LinearBundle.points(items)) {
      steps.append(step)
      if step.step == last { break }
    }
    return steps
  }

  /// All properties of a step except its duration.
  private struct StepSummary: Equatable {
    let position: TrainingPosition
    let outputs: ModelOutput
    let items: Int
    let end: EpochSummary?
  }

  private static func summaries(_ steps: [TrainingStep]) -> [StepSummary] {
    steps.map {
      StepSummary(
        position: $0.position, outputs: $0.outputs, items: $0.itemCount, end: $0.epochSummary)
    }
  }

  @Test(arguments: 1..<12)
  func `A training resumes from any step with identical results`(step: Int) async throws {
    let allSteps = try await steps(options(nil))
    #expect(allSteps.count == 12)
    _ = try await steps(options(checkpoints), upTo: step)
    let rest = try await steps(options(checkpoints, resuming: true))
    #expect(Self.summaries(rest) == Self.summaries(Array(allSteps.dropFirst(step))))
    #expect(try await steps(options(checkpoints, resuming: true)).isEmpty)
  }

  @Test func `Without a checkpoint, training starts from the beginning`() async throws {
    let allSteps = try await steps(options(nil))
    let resumed = try await steps(options(checkpoints, resuming: true))
    #expect(Self.summaries(resumed) == Self.summaries(allSteps))
  }

  @Test func `The most recent checkpoints and the best one are kept`() async throws {
    var checkpoints = checkpoints
    checkpoints.maxToKeep = 2
    checkpoints.interval = .epochs(1)
    // A negative rate increases the loss.
    var options = options(checkpoints)
    options.epochs = 6
    options.earlyStoppingPatience = nil
    options.placeholderSchedule = { ["rate": $0.epoch < 3 ? 0.1 : -0.1] }
    let ends = try await steps(options).compactMap(\.epochSummary)
    #expect(ends.last { $0.isBest }?.epoch == 2)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: checkpoints.folder).sorted()
        == ["checkpoint-15", "checkpoint-18", "checkpoint-6"])
  }

  @Test(arguments: [
    "checkpoint.data-00000-of-00001", "checkpoint.index", "training.json",
  ])
  func `A damaged checkpoint is skipped`(file: String) async throws {
    let allSteps = try await steps(options(nil))
    for damage in ["", "{", nil] {
      _ = try? FileManager.default.removeItem(atPath: checkpoints.folder)
      _ = try await steps(options(checkpoints), upTo: 5)
      let path = "\(checkpoints.folder)/checkpoint-5/\(file)"
      try FileManager.default.removeItem(atPath: path)
      if let damage { try Data(damage.utf8).write(to: URL(filePath: path)) }
      try folder.write("", to: "c/checkpoint-9.123.part/checkpoint.index")
      let rest = try await steps(options(checkpoints, resuming: true))
      #expect(Self.summaries(rest) == Self.summaries(Array(allSteps.dropFirst(4))))
    }
  }

  @Test func `If no checkpoint is complete, resuming fails`() async throws {
    _ = try await steps(options(checkpoints), upTo: 2)
    for step in 1...2 { try folder.write("{}", to: "c/checkpoint-\(step)/training.json") }
    let error = await #expect(throws: ModelError.self) {
      try await steps(options(checkpoints, resuming: true))
    }
    #expect(error?.code == "no-complete-checkpoint")
  }

  @Test func `Checkpoints of another training are neither used nor overwritten`() async throws {
    _ = try await steps(options(checkpoints), upTo: 2)
    await #expect(
      throws: ModelError(.run, .alreadyExists(checkpoints.folder + "/checkpoint-2"))
    ) { try await steps(options(checkpoints)) }
    var other = options(checkpoints, resuming: true)
    other.batchSize = 2
    let error = await #expect(throws: ModelError.self) { try await steps(other) }
    #expect(
      error?.reason == .checkpointMismatch(what: "batch size", expected: "3", actual: "2"))
    other = options(checkpoints, resuming: true)
    other.seed = 1
    #expect(
      await #expect(throws: ModelError.self) { try await steps(other) }?.code
        == "checkpoint-mismatch")
    #expect(
      await #expect(throws: ModelError.self) {
        try await steps(options(checkpoints, resuming: true), items: 11)
      }?.code == "checkpoint-mismatch")
  }

  @Test func `A full disk ends the training and leaves the checkpoints intact`() async throws {
    let backend = LinearBackend()
    backend.failsWrite.withLock { $0 = { $0.contains("checkpoint-3") } }
    let trainer = Trainer(try LinearBundle().open(on: backend), options(checkpoints))
    let error = await #expect(throws: ModelError.self) {
      try await trainer.train(LinearBundle.points(10)).all()
    }
    #expect(error?.code == "unwritable")
    let names = try FileManager.default.contentsOfDirectory(atPath: checkpoints.folder)
    #expect(names.sorted() == ["checkpoint-1", "checkpoint-2"])
    let allSteps = try await steps(options(nil))
    let rest = try await steps(options(checkpoints, resuming: true))
    #expect(Self.summaries(rest) == Self.summaries(Array(allSteps.dropFirst(2))))
  }
}
