import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Verifies that every sample of every example bundle has the output in the bundle's
/// `expected.json`.
@Suite(.ownThreads) struct ExampleBundleTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let bundle: String
    let name: String
    let expected: JSONTree
    let tolerance: Double

    var testDescription: String { "\(URL(filePath: bundle).lastPathComponent) \(name)" }
    var path: String { "\(bundle)/samples/\(name)" }
  }

  static let bundles = ProjectFiles.entries(of: "Examples/Bundles", suffix: ".tiobundle")

  static let samples: [Sample] = bundles.flatMap { bundle -> [Sample] in
    guard let tree = try? JSONTree(contentsOf: "\(bundle)/expected.json") else { return [] }
    let samples = tree["samples"]?.object ?? [:]
    return samples.sorted { $0.key < $1.key }.map { name, expected in
      Sample(
        bundle: bundle, name: name, expected: expected,
        tolerance: tree["tolerance"]?.number ?? 0)
    }
  }

  @Test(arguments: bundles)
  func `Every sample of a bundle has an expected output`(_ bundle: String) throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(bundle)/samples")
    #expect(Self.samples.filter { $0.bundle == bundle }.map(\.name) == files.sorted())
    #expect(!files.isEmpty)
  }

  @Test(arguments: bundles)
  func `A bundle is valid without warnings`(_ bundle: String) {
    let outcome = TestConsole.run(["validate", bundle, "--strict"])
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  @Test(arguments: samples)
  func `The library produces the expected output`(_ sample: Sample) throws {
    let model = try Model(at: sample.bundle)
    try check(sample, try CaseOutput(try model.run(try input(sample, model))).values)
  }

  @Test(arguments: samples)
  func `The command line produces the expected output`(_ sample: Sample) throws {
    let folder = try TemporaryFolder()
    let givesPictures = try ModelBundle(at: sample.bundle).description.outputs.contains {
      if case .image = $0.kind { true } else { false }
    }
    let argument = sample.name.hasSuffix(".json") ? "@\(sample.path)" : sample.path
    // Task results replace the outputs they are derived from, unless raw outputs are requested.
    let flags = ["--raw-outputs"] + (givesPictures ? ["--save-images", folder.path] : [])
    let outcome = TestConsole.run(["run", sample.bundle, argument] + flags)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let result = try CaseOutput(try outcome.json())
    let names = try #require(sample.expected.object).keys
    let raw = names.compactMap { name in
      (result.values["\(name)_raw"] ?? result.values[name]).map { (name, $0) }
    }
    try check(sample, Dictionary(raw) { first, _ in first })
  }

  @Test(arguments: bundles)
  func `Without inputs, the command line runs a bundle on its first sample`(_ bundle: String) throws
  {
    let outcome = TestConsole.run(["run", bundle])
    #expect(outcome.exitCode == 0, "\(outcome)")
    let first = try #require(Self.samples.first { $0.bundle == bundle })
    #expect(try outcome.json()["input"]?.string?.hasSuffix(first.path) == true)
  }

  private func input(_ sample: Sample, _ model: Model) throws -> ModelInput {
    if sample.name.hasSuffix(".json") {
      let tree = try JSONTree(contentsOf: sample.path)
      return CaseInput(tree: tree, inputCount: model.inputs.count).modelInput
    }
    if sample.name.hasSuffix(".wav") {
      return try AudioBuffer(contentsOf: sample.path).modelInput
    }
    return try ImageBuffer(contentsOf: sample.path).modelInput
  }

  private func check(_ sample: Sample, _ values: [String: CaseOutput.Value]) throws {
    let expected = try #require(sample.expected.object)
    #expect(values.keys.sorted() == expected.keys.sorted())
    for (name, tree) in expected {
      let value = try #require(values[name])
      let expectedValue =
        try tree.string.map { try expectedValues(inFile: "\(sample.bundle)/\($0)") }
        ?? numbers(in: tree)
      let isEqual = isClose(numbers(of: value), to: expectedValue, within: sample.tolerance)
      #expect(isEqual, "\(name) of \(sample.testDescription)")
    }
  }

  /// The values of an output in a file of the bundle: numbers, or an image.
  private func expectedValues(inFile path: String) throws -> [Double] {
    path.hasSuffix(".json")
      ? try numbers(in: JSONTree(contentsOf: path)) : try pixels(ImageBuffer(contentsOf: path))
  }

  /// All numbers of nested arrays, in order.
  private func numbers(in tree: JSONTree) throws -> [Double] {
    guard let parts = tree.array else { return [try #require(tree.number)] }
    return try parts.flatMap { try numbers(in: $0) }
  }

  /// All elements of an output, in the order of the model.
  private func numbers(of value: CaseOutput.Value) -> [Double] {
    switch value {
    case .number(let number): [number]
    case .numbers(let numbers): numbers
    case .labels(let labels): labels.sorted { $0.index < $1.index }.map(\.score)
    case .image(let image): pixels(image)
    }
  }

  private func pixels(_ image: ImageBuffer) -> [Double] {
    image.converted(to: .rgb).pixels.map(Double.init)
  }
}
