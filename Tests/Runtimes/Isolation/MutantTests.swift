import Foundation
import Synchronization
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOSystem
import TensorIOTestSupport
import Testing

/// Damaged models that are loaded and run in workers.
///
/// `TENSORIO_MUTANTS=all swift test --filter TensorIOIsolationTests.MutantTests` tests all of them
/// in reused workers. By default a sample of some hundreds is tested, each in a new worker.
@Suite(.serialized, .ownThreads) struct MutantTests {
  static let small =
    ["vectors", "two-vectors", "identity", "scalar", "number"].map {
      ProjectFiles.path("Tests/Fixtures/Conformance/\($0).tiobundle/model.tflite")
    }
    + [ProjectFiles.path("Tests/Fixtures/Models/history-with-intermediates.tflite")]
    + [
      "1_in_1_out_vectors_test", "2_in_2_out_vectors_test", "1_in_1_out_pixelbuffer_identity_test",
      "scalar_test", "1_in_1_out_number_test",
    ].map { SharedFixtures.path("original/tflite/\($0).tiobundle/model.tflite") }
    .filter { _ in SharedFixtures.areAvailable }
  static let large = ["digits", "face-detector"].map {
    ProjectFiles.path("Examples/Bundles/\($0).tiobundle/model.tflite")
  }
  /// A model with state: an LSTM.
  static let recurrent = ProjectFiles.path("Tests/Fixtures/Models/lstm.tflite")
  static let testsAll = Platform.environment("TENSORIO_MUTANTS") == "all"
  static let spreadCount = 240
  static let randomCount = 1000
  static let recurrentCount = testsAll ? 2000 : 50

  private static func mutants() throws -> [Mutant] {
    let systematic = try small.flatMap { path in
      Mutation.all(of: try bytes(path).count).map { Mutant(path: path, mutation: $0) }
    }
    let random = large.flatMap { path in
      (0..<randomCount).map { Mutant(path: path, mutation: .random(UInt64($0))) }
    }
    let all = systematic + random
    let step = testsAll ? 1 : max(1, all.count / spreadCount)
    return stride(from: 0, to: all.count, by: step).map { all[$0] }
      + (0..<recurrentCount).map { Mutant(path: recurrent, mutation: .random(UInt64($0))) }
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  @Test(.hangGuard(isLong: testsAll))
  func `No damaged model crashes this process or takes long`() async throws {
    let work = try MutantWork(
      Self.mutants(),
      originals: Dictionary(
        uniqueKeysWithValues: (Self.small + Self.large + [Self.recurrent]).map {
          ($0, try Self.bytes($0))
        }))
    let start = ContinuousClock.now
    await withTaskGroup { group in
      for _ in 0..<max(2, Platform.processorCount) {
        group.addTask { await onNewThread { work.run() } }
      }
    }
    let (tally, count) = (work.result, work.mutants.count)
    print("\(count) damaged models in \(start.duration(to: .now)): \(tally)")
    #expect(tally.codes.values.reduce(0, +) == count)
    #expect(tally.longest.time < .seconds(5), "\(tally.longest.name)")
    #expect(count >= (Self.testsAll ? 39_000 : Self.spreadCount + Self.recurrentCount))
  }
}

/// A model and one way to damage it.
private struct Mutant: Sendable {
  let path: String
  let mutation: Mutation
}

/// The number of results by error code, and the longest processor time of a calling thread.
private struct MutantTally: Sendable, CustomStringConvertible {
  var codes: [String: Int] = [:]
  var longest = (time: Duration.zero, name: "")

  mutating func record(_ code: String, _ time: Duration, _ mutant: Mutant) {
    codes[code, default: 0] += 1
    guard time > longest.time else { return }
    longest = (time, "\(mutant.path.suffix(40)): \(mutant.mutation)")
  }

  var description: String {
    let counts = codes.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }
    return "\(counts.joined(separator: ", ")); longest \(longest.time) (\(longest.name))"
  }
}

/// Mutants that several threads load and run.
private final class MutantWork: Sendable {
  let mutants: [Mutant]
  private let originals: [String: [UInt8]]
  private let folder: TemporaryFolder
  private let next = Atomic(0)
  private let tally = Mutex(MutantTally())

  init(_ mutants: [Mutant], originals: [String: [UInt8]]) throws {
    (self.mutants, self.originals) = (mutants, originals)
    folder = try TemporaryFolder()
  }

  var result: MutantTally { tally.withLock(\.self) }

  /// Runs mutants until none are left.
  func run() {
    let reusedWorker =
      MutantTests.testsAll ? ReusedWorker(validModel: Self.file(MutantTests.large[0])) : nil
    while true {
      let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard index < mutants.count else { return }
      let mutant = mutants[index]
      let bytes = mutant.mutation.apply(to: originals[mutant.path] ?? [])
      var code: String?
      // Waiting for a worker ends at the isolation's timeout.
      let time = ThreadTime.measure {
        code =
          failure {
            let file = Self.file(try folder.write(bytes, to: "\(index).tflite"))
            if let reusedWorker { try reusedWorker.run(file) } else { try Self.run(file) }
          }?.code
      }
      try? FileManager.default.removeItem(atPath: "\(folder.path)/\(index).tflite")
      tally.withLock { $0.record(code ?? "succeeded", time, mutant) }
    }
  }

  private static func file(_ path: String) -> ModelFile {
    ModelFile(path: path, name: "model.tflite")
  }

  private static let backend = IsolatedBackend(
    .liteRT, isolation: Isolation(timeout: .milliseconds(1500), maxCrashes: .max))
  private static let use = ModelBinding(ModelDescription(inputs: [], outputs: []), mode: .predict)

  /// Loads and runs a model as an application does.
  private static func run(_ file: ModelFile) throws {
    let model = try backend.load(file, for: use)
    let session = try model.makeSession(SessionOptions(threads: 1))
    for (index, input) in model.signature.inputs.enumerated() where input.elementType != .string {
      try session.fill(index) { _ in }
    }
    try session.invoke()
    for (index, output) in model.signature.outputs.enumerated()
    where output.elementType != .string {
      try session.read(index) { _, _ in }
    }
  }
}
