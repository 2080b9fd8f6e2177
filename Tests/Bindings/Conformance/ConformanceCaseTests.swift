import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Verifies the outputs of the conformance bundles, and of published models if they are available.
@Suite(.ownThreads) struct ConformanceCaseTests {
  @Test func `The number of cases is printed`() {
    let files = CaseFile.cases.map(\.file) + CaseFile.invalid
    let shared = files.count(where: \.isShared)
    CaseCount.report("conformance", project: files.count - shared, shared: shared)
    for file in CaseFile.all {
      #expect(file.tree.object != nil, "\(file.name) is not a JSON object")
    }
  }

  @Test(arguments: CaseFile.valid)
  func `A bundle has the expected inputs and outputs`(_ file: CaseFile) throws {
    let bundle = try CaseBundle(file)
    let model = try Model(at: bundle.path)
    #expect(Double(model.inputs.count) == file.tree["counts"]?["inputs"]?.number)
    #expect(Double(model.outputs.count) == file.tree["counts"]?["outputs"]?.number)
    #expect((model.signature == nil) == model.bundle.isPlaceholder)
  }

  @Test(arguments: CaseFile.cases)
  func `The library produces the expected output`(_ example: ConformanceCase) throws {
    let bundle = try CaseBundle(example.file)
    let model = try Model(at: bundle.path, options: example.options)
    for input in try example.modelInputs(model) {
      if let expected = example.tree["error"] {
        let error = #expect(throws: ModelError.self) { try model.run(input) }
        #expect(error?.code == expected["code"]?.string)
        #expect(error?.stage == .input)
      } else {
        try example.expectation.check(try CaseOutput(try model.run(input)))
      }
    }
  }

  @Test(arguments: CaseFile.cases)
  func `The command line produces the expected output`(_ example: ConformanceCase) throws {
    let bundle = try CaseBundle(example.file)
    for arguments in try example.spellings(bundle) {
      let outcome = TestConsole.run(["run", bundle.path] + example.flags + ["--"] + arguments)
      let record = try #require(try outcome.jsonLines().first, "\(outcome)")
      if let expected = example.tree["error"] {
        #expect(record["error"]?["code"]?.string == expected["code"]?.string, "\(outcome)")
        #expect(Double(outcome.exitCode) == expected["exit"]?.number)
      } else {
        #expect(outcome.exitCode == 0, "\(outcome)")
        try example.expectation.check(try CaseOutput(record))
      }
    }
  }

  @Test(arguments: CaseFile.invalid)
  func `An invalid bundle has the expected error`(_ file: CaseFile) throws {
    let expected = try #require(file.tree["opens"])
    let bundle = try CaseBundle(file)
    let error = #expect(throws: ModelError.self) { try Model(at: bundle.path) }
    #expect(error?.stage.rawValue == expected["stage"]?.string)
    #expect(error?.code == expected["code"]?.string)
    for command in ["run", "inspect", "validate"] {
      let outcome = TestConsole.run([command, bundle.path, "--format", "json"])
      #expect(Double(outcome.exitCode) == expected["exit"]?.number, "\(command): \(outcome)")
    }
    let report = try TestConsole.run(["validate", bundle.path, "--format", "json"]).json()
    let errors = report["diagnostics"]?.array?.filter { $0["severity"]?.string == "error" }
    #expect(errors?.first?["code"]?.string == expected["validate"]?.string)
  }
}

extension ConformanceCase {
  var expectation: Expectation { Expectation(tree: tree, tolerance: tolerance) }

  var options: OpeningOptions {
    OpeningOptions(
      fit: tree["fit"]?.string.flatMap(ImageFit.init),
      filter: tree["filter"]?.string.flatMap(ImageFilter.init))
  }

  var flags: [String] {
    [("fit", "--fit"), ("filter", "--resample")].flatMap { key, flag in
      tree[key]?.string.map { [flag, $0] } ?? []
    }
  }

  /// The inputs: an image as pixels and as the bytes of its file, any other value unchanged.
  func modelInputs(_ model: Model) throws -> [ModelInput] {
    guard let imagePath else {
      let input = CaseInput(tree: try #require(tree["input"]), inputCount: model.inputs.count)
      return [input.modelInput]
    }
    let file = try Data(contentsOf: URL(filePath: imagePath))
    let name = try #require(model.inputs.first?.name)
    return [
      try ImageBuffer(contentsOf: imagePath).modelInput, file.modelInput, [name: file].modelInput,
    ]
  }

  func spellings(_ bundle: CaseBundle) throws -> [[String]] {
    if let imagePath { return [[imagePath], ["@\(imagePath)"]] }
    let inputs = try ModelBundle(at: bundle.path).description.inputs
    return CaseInput(tree: try #require(tree["input"]), inputCount: inputs.count).spellings
  }
}
