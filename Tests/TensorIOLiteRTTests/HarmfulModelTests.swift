import Foundation
import TensorIOCore
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOLiteRT

/// What is refused before the runtime sees a model.
@Suite struct HarmfulModelTests {
  func problem(_ bytes: [UInt8]) throws -> ModelValidationError? {
    let bytes = try ModelBytes(bytes)
    do throws(ModelValidationError) {
      try TFLiteValidator.validateRules(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: HarmfulModel.all)
  func `Each thing that harms is refused by its rule`(_ model: HarmfulModel) throws {
    let found = try #require(try problem(model.sketch.bytes))
    #expect(found.rule == model.rule, "\(found.message)")
    #expect(!found.message.isEmpty)
  }

  @Test func `Every rule has a model that breaks it`() {
    // These two are about the file's bytes and have tests of their own.
    let rules = Set(HarmfulModel.all.map(\.rule)).union([.bounds, .traversalBudget])
    #expect(rules == Set(ModelValidationRule.allCases))
  }

  @Test func `Bytes outside the file are not read`() throws {
    let bytes = ModelSketch().bytes
    let found = try #require(try problem(Array(bytes.prefix(bytes.count / 2))))
    #expect(found.rule == .bounds)
    for root in [UInt8](250...255) {
      #expect(try problem([root, 255, 255, 255] + bytes.dropFirst(4))?.rule == .bounds)
    }
  }

  @Test func `A small file with a huge tree is not walked`() throws {
    let graph = FlatValue.table([0: .repeated(TensorSketch("tensor", [1]).value, count: 2000)])
    let bytes = FlatBuilder(.table([2: .repeated(graph, count: 2000)]), identifier: "TFL3").bytes
    #expect(bytes.count < 1 << 15)
    #expect(try problem(bytes)?.rule == .traversalBudget)
  }

  @Test func `However large a file is, there is an end to its walk`() {
    #expect(FlatBufferReader.remainingSteps(forBytes: 100) == FlatBufferReader.baseStepBudget + 400)
    #expect(FlatBufferReader.remainingSteps(forBytes: ModelBytes.maxByteCount) == 1 << 23)
  }

  @Test func `Texts that many buffers share are not read for each`() throws {
    var sketch = ModelSketch()
    let count = 1000
    let places = [Int32](repeating: Int32(4 * (count + 2)), count: count + 1)
    let texts = ModelSketch.bytes(integers: [Int32(count)] + places)
    let shared = FlatValue.table([1: .long(0), 2: .long(UInt64(texts.count))])
    sketch.buffers[2] = .table([0: .bytes(texts)])
    sketch.buffers += [FlatValue](repeating: shared, count: 20)
    for buffer in 3..<23 {
      var tensor = TensorSketch("texts", [Int32(count)], buffer: Int32(buffer))
      tensor.type = 5
      sketch.graphs[0].tensors.append(tensor)
    }
    let place = try #require(sketch.bytes.firstRange(of: texts)).lowerBound
    for buffer in 3..<23 {
      sketch.buffers[buffer] = .table([1: .long(UInt64(place)), 2: .long(UInt64(texts.count))])
    }
    #expect(try problem(sketch.bytes)?.rule == .traversalBudget)
  }

  @Test(arguments: [
    ModelSketch(), HarmfulModel.pooling, HarmfulModel.dense, HarmfulModel.bytes,
    HarmfulModel.conditional, HarmfulModel.rows, HarmfulModel.scaled, HarmfulModel.custom,
    HarmfulModel.computedWindow,
    HarmfulModel.reshape(to: [2, -1]), HarmfulModel.reshape(to: [2, 2]),
  ])
  func `What the harmful models are made of is fine`(_ sketch: ModelSketch) throws {
    let found = try problem(sketch.bytes)
    #expect(found == nil, "\(found?.message ?? "")")
  }

  /// What does not work out is for the runtime to refuse, which computes shapes before it makes room.
  @Test(arguments: [[3, -1], [3, 3], [0, -1]] as [[Int32]])
  func `A shape that cannot be computed is none to compare with`(_ shape: [Int32]) throws {
    #expect(try problem(HarmfulModel.reshape(to: shape).bytes) == nil)
    #expect(throws: ModelError.self) {
      try LiteRTBackend().model(bytes: HarmfulModel.reshape(to: shape).bytes)
        .makeSession(SessionOptions())
    }
  }

  @Test func `The runtime runs what the harmful models are made of`() throws {
    let model = try LiteRTBackend().model(bytes: ModelSketch().bytes)
    let sums: [Float] = try model.makeSession(SessionOptions()).run([10, 20, 30, 40])
    #expect(sums == [11, 22, 33, 44])
  }

  @Test func `A refusal says what is wrong, and is that of any other file`() throws {
    let sketch = ModelSketch().changed { $0.graphs[0].operators[0].inputs = [0, 41] }
    let error = try #require(throws: ModelError.self) {
      try LiteRTBackend().model(bytes: sketch.bytes)
    }
    #expect(error.stage == .runtime)
    #expect(error.reason == .modelRejected(detail: "operator 0 reads tensor 41 of 3"))
  }

  @Test func `With several graphs, the refusal says which`() throws {
    let sketch = HarmfulModel.conditional.changed { $0.graphs[1].operators[0].inputs = [0, 41] }
    #expect(try problem(sketch.bytes)?.message == "in graph 1, operator 0 reads tensor 41 of 3")
  }
}

// MARK: - No false alarms

extension HarmfulModelTests {
  private static func models(below folder: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
    return names.filter { $0.hasSuffix(".tflite") }.sorted().map { "\(folder)/\($0)" }
  }

  private func requireNoAlarm(_ paths: [String]) throws {
    for path in paths {
      let bytes = try ModelBytes(ModelFile(path: path, name: path))
      let time = ThreadTime.measure {
        do throws(ModelValidationError) {
          try TFLiteValidator.validateRules(bytes)
        } catch {
          Issue.record("\(path): \(error.rule): \(error.message)")
        }
      }
      if bytes.count > 1 << 20 { print("looked through \(bytes.count) bytes in \(time)") }
    }
  }

  @Test(arguments: ["Examples/Bundles", "Tests/Fixtures"])
  func `Our own models are fine`(_ folder: String) throws {
    let models = Self.models(below: ProjectFiles.path(folder))
    #expect(!models.isEmpty)
    try requireNoAlarm(models)
  }

  @Test func `Published models are fine`() throws {
    let models = ["original", "real"].flatMap { Self.models(below: SharedFixtures.path($0)) }
      .filter { !$0.contains("/invalid-") }
    SharedFixtures.report("harmless", models.count)
    try requireNoAlarm(models)
  }
}

// MARK: - Models that are known to harm

extension HarmfulModelTests {
  /// The rules that refuse the models of a list, and how many each.
  private func refusals(_ list: String) throws -> (refused: [ModelValidationRule: Int], missed: [String]) {
    let names = SharedFixtures.lines(of: "hostile/\(list).txt")
    SharedFixtures.report(list, names.count)
    var refused: [ModelValidationRule: Int] = [:]
    var missed: [String] = []
    var slowest = Duration.zero
    for name in names {
      let path = SharedFixtures.path("hostile/tflite/\(name)")
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
      var rule: ModelValidationRule?
      slowest = max(slowest, try ThreadTime.measure { rule = try problem(bytes)?.rule })
      if let rule { refused[rule, default: 0] += 1 } else { missed.append(name) }
    }
    let counts = refused.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }
    print(
      "\(list) refused: \(counts.joined(separator: ", ")); missed: \(missed)"
        + "; slowest: \(slowest)")
    return (refused, missed)
  }

  @Test func `What hangs the runtime is refused`() throws {
    #expect(try refusals("hangs").missed == [])
  }

  @Test func `What kills the runtime is refused`() throws {
    #expect(try refusals("deaths").missed == [])
  }
}

// MARK: - Whatever the bytes

extension HarmfulModelTests {
  static let longestTime = Duration.milliseconds(50)

  @Test func `A model cut anywhere is looked through at once`() throws {
    let bytes = HarmfulModel.conditional.bytes
    for count in bytes.indices {
      #expect(
        try ThreadTime.measure { _ = try problem(Array(bytes.prefix(count))) }
          < Self.longestTime)
    }
  }

  @Test(arguments: [ModelSketch(), HarmfulModel.pooling, HarmfulModel.conditional])
  func `A model with any bit flipped is looked through at once`(_ sketch: ModelSketch) throws {
    let bytes = sketch.bytes
    for bit in 0..<8 * bytes.count {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(try ThreadTime.measure { _ = try problem(flipped) } < Self.longestTime)
    }
  }

  @Test func `A model with any words changed is looked through at once`() throws {
    let bytes = HarmfulModel.conditional.bytes
    let words: [UInt32] = [0, 1, 4, 0x1_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFF0]
    for place in stride(from: 0, to: bytes.count - 3, by: 4) {
      for word in words {
        var changed = bytes
        for shift in 0..<4 {
          changed[place + shift] = UInt8(truncatingIfNeeded: word >> (8 * UInt32(shift)))
        }
        #expect(try ThreadTime.measure { _ = try problem(changed) } < Self.longestTime)
      }
    }
  }
}
