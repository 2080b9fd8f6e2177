import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOTensorFlow
import TensorIOTestSupport
import Testing

/// The outputs of isolated models equal those in this process, bit for bit.
@Suite(.ownThreads) struct IsolatedOutputTests {
  static let bundles =
    ProjectFiles.entries(of: "Examples/Bundles", suffix: ".tiobundle")
    + ProjectFiles.entries(of: "Tests/Fixtures/TensorFlow", suffix: ".tiobundle").filter { path in
      // Bundles that can only be trained are not supported.
      (try? ModelBundle(at: path).description.defaultMode) != .train
    }
  static let files = ProjectFiles.entries(of: "Tests/Fixtures/Models", suffix: ".tflite")

  /// The in-process and isolated backends of each runtime, with the isolated ones in the order of their level.
  private static let backends: [BackendIdentifier: [any Backend]] = [
    .tflite: [
      LiteRTBackend(), IsolatedBackend(.liteRT),
      IsolatedBackend(.liteRT, isolation: Isolation(level: .sandbox)),
    ],
    .tensorflow: [
      TensorFlowBackend(), IsolatedBackend(.tensorFlow),
      IsolatedBackend(.tensorFlow, isolation: Isolation(level: .sandbox)),
    ],
  ]

  /// Returns the backends that are compared for a bundle: all, or the in-process and one isolated one, because a
  /// worker takes seconds to load TensorFlow.
  private static func comparedBackends(for bundle: ModelBundle, at path: String) -> [any Backend]? {
    guard let all = backends[bundle.backend] else { return nil }
    guard bundle.backend == .tensorflow, !Exhaustive.isEnabled else { return all }
    let number = bundles.firstIndex(of: path) ?? 0
    return [all[0], all[1 + number % 2]]
  }

  /// Loads a model with each backend.
  private func loaded(_ path: String) throws -> [Result<any RuntimeModel, ModelError>] {
    guard path.hasSuffix(".tiobundle") else {
      let file = ModelFile(path: path, name: "model.tflite")
      let use = ModelBinding(ModelDescription(inputs: [], outputs: []), mode: .predict)
      return try #require(Self.backends[.tflite]).map { backend in
        Result { () throws(ModelError) in try backend.load(file, for: use) }
      }
    }
    let bundle = try ModelBundle(at: path)
    return try #require(Self.comparedBackends(for: bundle, at: path)).map { backend in
      Result { () throws(ModelError) in
        try bundle.load(for: bundle.description.defaultMode, on: backend)
      }
    }
  }

  @Test(arguments: bundles + files) func `The outputs are identical`(_ path: String) throws {
    let models = try loaded(path)
    guard try agree(models, on: { $0.signature }), try agree(models, on: { $0.signatures }),
      try agree(models, on: { $0.warnings })
    else { return }
    let sessions = try models.map { try $0.get() }.map { model in
      Result { () throws(ModelError) in try model.makeSession(SessionOptions()) }
    }
    let signature = try models[0].get().signature
    guard sessions.contains(where: { (try? $0.get()) != nil }) else {
      for session in sessions { #expect(session.error == sessions[0].error) }
      return
    }
    for round in 0..<3 {
      let probe = SessionProbe(signature, items: round + 1, seed: UInt64(round))
      let results = try sessions.map { session in try probe.outcome(of: try session.get()) }
      for result in results { #expect(result == results[0]) }
    }
  }

  /// Returns whether all backends have loaded the model, and expects the same properties or errors.
  private func agree<Fact: Equatable>(
    _ models: [Result<any RuntimeModel, ModelError>], on fact: (any RuntimeModel) -> Fact
  ) throws -> Bool {
    for model in models { #expect(model.error == models[0].error) }
    let facts = models.compactMap { try? $0.get() }.map(fact)
    for one in facts { #expect(one == facts[0]) }
    return facts.count == models.count
  }

  @Test func `Enough models run successfully`() throws {
    var count = 0
    // The models of LiteRT are loaded fastest.
    for path in Self.files + Self.bundles where count <= 30 {
      if try loaded(path).allSatisfy({ (try? $0.get()) != nil }) { count += 1 }
    }
    #expect(count > 30)
  }

  @Test(arguments: ["digits", "diabetes", "style-predict"])
  func `The command prints the same outputs`(_ name: String) throws {
    let bundle = ProjectFiles.path("Examples/Bundles/\(name).tiobundle")
    let outcomes = try [[], ["--isolation", "process"]].map { flags in
      let outcome = TestConsole.run(["run", bundle, "--format", "json"] + flags)
      #expect(outcome.exitCode == 0, "\(outcome)")
      return try #require(try outcome.json()["outputs"])
    }
    #expect(outcomes[0] == outcomes[1])
  }
}

/// Runs a session on pseudorandom values that are valid for any model.
private struct SessionProbe {
  private let signature: ModelSignature
  private let items: Int
  private let seed: UInt64

  init(_ signature: ModelSignature, items: Int, seed: UInt64) {
    (self.signature, self.items, self.seed) = (signature, items, seed)
  }

  private func shape(_ tensor: TensorInfo) -> [Int] { tensor.shape.dimensions.map { $0 ?? items } }

  /// Returns the outputs of a run, or its error.
  func outcome(of session: any Session) throws -> [String] {
    do {
      return try run(session)
    } catch let error as ModelError {
      return ["\(error)"]
    }
  }

  /// Returns the shapes and the bytes or strings of all outputs.
  private func run(_ session: any Session) throws -> [String] {
    var generator = SeededGenerator(seed: seed)
    if signature.inputs.contains(where: \.shape.isDynamic) {
      try session.resize(signature.inputs.map(shape))
    }
    for (index, tensor) in signature.inputs.enumerated() {
      guard tensor.elementType != .string else {
        let count = shape(tensor).reduce(1, *)
        try session.fill(index, strings: (0..<count).map { Array("text \($0)".utf8) })
        continue
      }
      let bytes = tensor.bytes(count: shape(tensor).reduce(1, *), &generator)
      try session.fill(index, bytes: bytes)
    }
    try session.invoke()
    return try signature.outputs.indices.map { try output($0, session) }
  }

  private func output(_ index: Int, _ session: any Session) throws -> String {
    guard signature.outputs[index].elementType != .string else {
      return "\(try session.readStrings(index))"
    }
    var dimensions: [Int] = []
    try session.read(index) { _, shape in dimensions = shape }
    return "\(dimensions) \(try session.bytes(ofOutput: index))"
  }
}

extension Result {
  /// The error, or `nil` if the result is a value.
  fileprivate var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension TensorInfo {
  /// Returns the bytes of `count` pseudorandom elements: 0 to 1, or 0 to 100 for integers.
  fileprivate func bytes(count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    let size = elementType.byteCount ?? 0
    return (0..<count).flatMap { _ -> [UInt8] in
      let fraction = Double.random(in: 0...1, using: &generator)
      let bits: UInt64 =
        switch elementType {
        case .float64: fraction.bitPattern
        case .float32: UInt64(Float(fraction).bitPattern)
        case .float16: 0x3C00
        case .bool: fraction > 0.5 ? 1 : 0
        default: UInt64(fraction * 100)
        }
      return (0..<size).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
    }
  }
}
