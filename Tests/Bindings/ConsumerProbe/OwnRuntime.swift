import Foundation
import Synchronization
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIORuntimeConformance
import Testing

/// An application's runtime, whose model file holds the count of the numbers that it doubles.
private struct DoublerBackend: Backend {
  let identifier = BackendIdentifier(rawValue: "doubler")

  func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
    guard let text = try? String(contentsOfFile: file.path, encoding: .utf8),
      let count = Int(text.filter(\.isNumber))
    else {
      throw ModelError(.runtime, .modelRejected(detail: "not a number"), file: file.path)
    }
    return DoublerModel(count: count)
  }
}

private struct DoublerModel: RuntimeModel {
  let count: Int

  var signature: ModelSignature {
    let shape = TensorShape([1, count])
    return ModelSignature(
      name: "main", inputs: [TensorInfo(name: "x", elementType: .float32, shape: shape)],
      outputs: [TensorInfo(name: "y", elementType: .float32, shape: shape)])
  }
  var signatures: [ModelSignature] { [signature] }

  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    DoublerSession(count: count)
  }
}

private final class DoublerSession: Session {
  let abilities = SessionAbilities()
  private let numbers: Mutex<[Float]>

  init(count: Int) { numbers = Mutex(Array(repeating: 0, count: count)) }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    throw ModelError(.run, .unsupported("another shape"))
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    try numbers.withLock { (numbers) throws(ModelError) in
      var elements = numbers.mutableSpan
      var memory = unsafe elements.mutableBytes
      try body(&memory)
    }
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {}

  func invoke() throws(ModelError) {
    numbers.withLock { numbers in
      for index in numbers.indices { numbers[index] *= 2 }
    }
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let numbers = numbers.withLock { $0 }
    try body(unsafe numbers.span.bytes, [1, numbers.count])
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] { [] }
}

@Suite struct OwnRuntime {
  private static let description = """
    {
      "name": "Doubler", "id": "doubler", "version": "1", "details": "", "author": "", "license": "",
      "model": {"file": "model.doubler", "quantized": false, "backend": "doubler", "modes": ["predict"]},
      "inputs": [{"name": "x", "type": "array", "shape": [1, 3]}],
      "outputs": [{"name": "y", "type": "array", "shape": [1, 3]}]
    }
    """

  private static func makeBundle() throws -> String {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "\(UUID().uuidString)/doubler.tiobundle").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data(description.utf8).write(to: URL(filePath: path + "/model.json"))
    try Data("3".utf8).write(to: URL(filePath: path + "/model.doubler"))
    return path
  }

  @Test func `One registration makes an application's runtime available to bundles`() throws {
    let path = try Self.makeBundle()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let registry = RuntimeRegistry()
    let options = OpeningOptions(runtimes: registry)
    #expect(throws: ModelError.self) { try Model(at: path, options: options) }
    registry.register(
      RuntimeDescriptor(
        ModelFormat(DoublerBackend().identifier, files: [.file(extension: "doubler")]),
        displayName: "Doubler"
      ) { _ in DoublerBackend() })
    let model = try Model(at: path, options: options)
    let doubled: [Float] = try model.run([1, 2, 3] as [Float]).value()
    #expect(doubled == [2, 4, 6])
    let report = BundleValidator(options: options).validate(path)
    #expect(report.isValid && report.loadError == nil)
    // Built-in runtimes remain available.
    let patient = [Float](repeating: 1, count: 10)
    _ = try Model(at: Bundles.diabetes, options: options).run(patient)
  }

  @Test func `An application's runtime passes the conformance suite`() throws {
    let path = try Self.makeBundle()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let rows: [[Float]] = [[1, 2, 3], [0.5, -1, 0]]
    let model = ConformanceModel(
      at: path,
      samples: rows.map { row in
        .init(["x": Tensor(row)], outputs: ["y": Tensor(row.map { $0 * 2 })])
      })
    let report = ConformanceSuite(DoublerBackend()).check(model)
    #expect(report.isConforming, "\(report)")
    #expect(
      Set(ConformanceCheck.allCases).subtracting(report.passed) == [.freeBatch, .strings])
  }
}
