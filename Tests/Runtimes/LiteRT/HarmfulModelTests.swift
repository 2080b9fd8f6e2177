import Foundation
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOLiteRT

/// Models that the validator rejects before the runtime loads them.
@Suite struct HarmfulModelTests {
  func validationError(_ bytes: [UInt8]) throws -> ModelValidationError? {
    let bytes = try ModelBytes(bytes)
    do throws(ModelValidationError) {
      try TFLiteValidator.validateRules(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: HarmfulModel.all)
  func `A harmful model is rejected by its rule`(_ model: HarmfulModel) throws {
    let error = try #require(try validationError(model.sketch.bytes))
    #expect(error.rule == model.rule, "\(error.message)")
    #expect(!error.message.isEmpty)
  }

  @Test func `A variable with an initial value is accepted`() throws {
    #expect(try validationError(HarmfulModel.variable.bytes) == nil)
  }

  @Test func `Every rule has a model that breaks it`() {
    // These two rules concern the file's bytes and have separate tests.
    let rules = Set(HarmfulModel.all.map(\.rule)).union([.bounds, .traversalBudget])
    #expect(rules == Set(ModelValidationRule.allCases))
  }

  @Test func `Bytes outside the file are not read`() throws {
    let bytes = ModelSketch().bytes
    let error = try #require(try validationError(Array(bytes.prefix(bytes.count / 2))))
    #expect(error.rule == .bounds)
    for root in [UInt8](250...255) {
      #expect(try validationError([root, 255, 255, 255] + bytes.dropFirst(4))?.rule == .bounds)
    }
  }

  @Test func `A small file with a huge tree is not traversed`() throws {
    let graph = FlatValue.table([0: .repeated(TensorSketch("tensor", [1]).value, count: 2000)])
    let bytes = FlatBuilder(.table([2: .repeated(graph, count: 2000)]), identifier: "TFL3").bytes
    #expect(bytes.count < 1 << 15)
    #expect(try validationError(bytes)?.rule == .traversalBudget)
  }

  @Test func `The step budget is limited for files of any size`() {
    #expect(FlatBufferReader.stepBudget(forByteCount: 100) == FlatBufferReader.baseStepBudget + 400)
    #expect(FlatBufferReader.stepBudget(forByteCount: ModelBytes.maxByteCount) == 1 << 23)
  }

  @Test func `Strings that many buffers share are not read repeatedly`() throws {
    var sketch = ModelSketch()
    let count = 1000
    let offsets = [Int32](repeating: Int32(4 * (count + 2)), count: count + 1)
    let strings = ModelSketch.bytes(integers: [Int32(count)] + offsets)
    let shared = FlatValue.table([1: .long(0), 2: .long(UInt64(strings.count))])
    sketch.buffers[2] = .table([0: .bytes(strings)])
    sketch.buffers += [FlatValue](repeating: shared, count: 20)
    for buffer in 3..<23 {
      var tensor = TensorSketch("strings", [Int32(count)], buffer: Int32(buffer))
      tensor.type = 5
      sketch.graphs[0].tensors.append(tensor)
    }
    let offset = try #require(sketch.bytes.firstRange(of: strings)).lowerBound
    for buffer in 3..<23 {
      sketch.buffers[buffer] = .table([1: .long(UInt64(offset)), 2: .long(UInt64(strings.count))])
    }
    #expect(try validationError(sketch.bytes)?.rule == .traversalBudget)
  }

  @Test(arguments: [
    ModelSketch(), HarmfulModel.pooling, HarmfulModel.dense, HarmfulModel.bytes,
    HarmfulModel.conditional, HarmfulModel.rows, HarmfulModel.scaled, HarmfulModel.custom,
    HarmfulModel.computedWindow,
    HarmfulModel.reshape(to: [2, -1]), HarmfulModel.reshape(to: [2, 2]),
  ])
  func `The base models of the harmful ones are valid`(_ sketch: ModelSketch) throws {
    let error = try validationError(sketch.bytes)
    #expect(error == nil, "\(error?.message ?? "")")
  }

  /// LiteRT rejects impossible shapes itself, because it computes shapes before it allocates.
  @Test(arguments: [[3, -1], [3, 3], [0, -1]] as [[Int32]])
  func `A shape that cannot be inferred is not compared`(_ shape: [Int32]) throws {
    #expect(try validationError(HarmfulModel.reshape(to: shape).bytes) == nil)
    #expect(throws: ModelError.self) {
      try LiteRTBackend().model(bytes: HarmfulModel.reshape(to: shape).bytes)
        .makeSession(SessionOptions())
    }
  }

  @Test func `The runtime runs the base model of the harmful ones`() throws {
    let model = try LiteRTBackend().model(bytes: ModelSketch().bytes)
    let sums: [Float] = try model.makeSession(SessionOptions()).run([10, 20, 30, 40])
    #expect(sums == [11, 22, 33, 44])
  }

  @Test func `A rejection has the same type as the runtime's, with the cause`() throws {
    let sketch = ModelSketch().changed { $0.graphs[0].operators[0].inputs = [0, 41] }
    let error = try #require(throws: ModelError.self) {
      try LiteRTBackend().model(bytes: sketch.bytes)
    }
    #expect(error.stage == .runtime)
    #expect(error.reason == .modelRejected(detail: "operator 0 reads tensor 41, but there are 3"))
  }

  @Test func `The error for a model with several subgraphs names the subgraph`() throws {
    let sketch = HarmfulModel.conditional.changed { $0.graphs[1].operators[0].inputs = [0, 41] }
    #expect(
      try validationError(sketch.bytes)?.message
        == "subgraph 1: operator 0 reads tensor 41, but there are 3")
  }
}

// MARK: - False positives

extension HarmfulModelTests {
  private static func models(below folder: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
    return names.filter { $0.hasSuffix(".tflite") }.sorted().map { "\(folder)/\($0)" }
  }

  private func requireValid(_ paths: [String]) throws {
    for path in paths {
      let bytes = try ModelBytes(ModelFile(path: path, name: path))
      let time = ThreadTime.measure {
        do throws(ModelValidationError) {
          try TFLiteValidator.validateRules(bytes)
        } catch {
          Issue.record("\(path): \(error.rule): \(error.message)")
        }
      }
      if bytes.count > 1 << 20 { print("validated \(bytes.count) bytes in \(time)") }
    }
  }

  private static let projectFolders = ["Examples/Bundles", "Tests/Fixtures"]

  @Test(arguments: projectFolders)
  func `The project's models are valid`(_ folder: String) throws {
    let models = Self.models(below: ProjectFiles.path(folder))
    #expect(!models.isEmpty)
    try requireValid(models)
  }

  @Test func `Published models are valid`() throws {
    let models = ["original", "real"].flatMap { Self.models(below: SharedFixtures.path($0)) }
      .filter { !$0.contains("/invalid-") }
    let project = Self.projectFolders.flatMap { Self.models(below: ProjectFiles.path($0)) }
    CaseCount.report("harmless", project: project.count, shared: models.count)
    try requireValid(models)
  }
}

// MARK: - Models that are known to be harmful

extension HarmfulModelTests {
  /// The models with an effect, by name: those of the project, and those of a list of the shared fixtures.
  private func harmfulModels(
    _ effect: DamagedModel.Effect, _ list: String
  ) throws -> [(name: String, bytes: [UInt8])] {
    let damaged = DamagedModel.all.filter { $0.effect == effect }
    let names = SharedFixtures.lines(of: "hostile/\(list).txt")
    CaseCount.report(list, project: damaged.count, shared: names.count)
    return try damaged.map { ($0.description, try $0.bytes()) }
      + names.map { name in
        let path = SharedFixtures.path("hostile/tflite/\(name)")
        return (name, [UInt8](try Data(contentsOf: URL(filePath: path))))
      }
  }

  /// Returns the harmful models that no rule rejects, and prints the number that each rule rejects.
  private func missed(_ effect: DamagedModel.Effect, _ list: String) throws -> [String] {
    var rejected: [ModelValidationRule: Int] = [:]
    var missed: [String] = []
    var slowest = Duration.zero
    for (name, bytes) in try harmfulModels(effect, list) {
      var rule: ModelValidationRule?
      slowest = max(slowest, try ThreadTime.measure { rule = try validationError(bytes)?.rule })
      if let rule { rejected[rule, default: 0] += 1 } else { missed.append(name) }
    }
    let counts = rejected.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }
    print(
      "\(list) rejected: \(counts.joined(separator: ", ")); missed: \(missed)"
        + "; slowest: \(slowest)")
    return missed
  }

  @Test func `Models that hang the runtime are rejected`() throws {
    #expect(try missed(.hang, "hangs") == [])
  }

  @Test func `Models that crash the runtime are rejected`() throws {
    #expect(try missed(.death, "deaths") == [])
  }
}

// MARK: - Damaged models

extension HarmfulModelTests {
  static let maxTime = Duration.milliseconds(50)

  @Test func `A model truncated anywhere is validated in bounded time`() throws {
    let bytes = HarmfulModel.conditional.bytes
    for count in bytes.indices {
      #expect(
        try ThreadTime.measure { _ = try validationError(Array(bytes.prefix(count))) }
          < Self.maxTime)
    }
  }

  @Test(arguments: [ModelSketch(), HarmfulModel.pooling, HarmfulModel.conditional])
  func `A model with any bit flipped is validated in bounded time`(_ sketch: ModelSketch) throws {
    let bytes = sketch.bytes
    for bit in 0..<8 * bytes.count {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(try ThreadTime.measure { _ = try validationError(flipped) } < Self.maxTime)
    }
  }

  @Test func `A model with any word changed is validated in bounded time`() throws {
    let bytes = HarmfulModel.conditional.bytes
    let words: [UInt32] = [0, 1, 4, 0x1_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFF0]
    for offset in stride(from: 0, to: bytes.count - 3, by: 4) {
      for word in words {
        var changed = bytes
        for shift in 0..<4 {
          changed[offset + shift] = UInt8(truncatingIfNeeded: word >> (8 * UInt32(shift)))
        }
        #expect(try ThreadTime.measure { _ = try validationError(changed) } < Self.maxTime)
      }
    }
  }
}
