import Foundation
import TensorIO
import TensorIOBundle
import TensorIOTasks
import TensorIOTestSupport
import TensorIOTypedModels
import Testing

/// The files in `Generated` are compiled as a part of this target, with warnings as errors. `Scripts/test/typed-models`
/// compiles the types of all bundles.
@Suite struct GeneratedSourceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bundle: String
    var access = SwiftModelGenerator.Access.internal
    var testDescription: String { bundle }

    var generator: SwiftModelGenerator {
      get throws {
        var options = SwiftModelGenerator.Options()
        options.access = access
        return try SwiftModelGenerator(ModelBundle(at: ProjectFiles.path(bundle)), options: options)
      }
    }
  }

  /// The bundles whose files are checked in.
  static let goldens =
    ["digits", "two-in-two-out-quantized"].map { example($0) } + [
      Case(bundle: "Tests/Fixtures/TypedModels/everything.tiobundle", access: .public),
      Case(bundle: "Tests/Fixtures/TypedModels/functions.tiobundle"),
    ]

  static let cases =
    goldens
    + ["diabetes", "digits-embedder", "shape-detector", "style-transform", "tones", "topics"]
    .map { example($0) }

  private static func example(_ name: String) -> Case {
    Case(bundle: "Examples/Bundles/\(name).tiobundle")
  }

  @Test(arguments: goldens)
  func `The generated file is the one that is checked in`(_ example: Case) throws {
    let generator = try example.generator
    let path = ProjectFiles.path(
      "Tests/Tools/TypedModels/Generated/\(generator.typeName).swift")
    if ProcessInfo.processInfo.environment["TENSORIO_RECORD"] != nil {
      try Data(generator.source().utf8).write(to: URL(filePath: path))
    }
    #expect(try generator.source() == String(contentsOfFile: path, encoding: .utf8))
  }

  @Test(arguments: cases)
  func `No text of a bundle leaves its comment or literal`(_ example: Case) throws {
    let source = try example.generator.source()
    #expect(!source.contains("\r") && !source.contains("\u{202E}") && !source.contains("\0"))
    #expect(!source.split(separator: "\n").contains("let injected = 1"))
  }

  /// Returns the generated file of a bundle whose only output has labels.
  private func source(scores: Int, labels: [String]) throws -> String {
    let output =
      #"{"name": "y", "type": "array", "shape": [\#(scores)], "labels": "labels.txt"}"#
    // The files exist as long as the test bundle.
    let files = try TestBundle(outputs: output, labels: labels.joined(separator: "\n"))
    return try withExtendedLifetime(files) {
      try SwiftModelGenerator(files.read()).source()
    }
  }

  @Test func `Labels are strings if there are more than an enumeration has`() throws {
    let source = try source(scores: 257, labels: (0..<257).map { "label \($0)" })
    #expect(source.contains("let classes: [Classification.Entry]\n"))
    #expect(source.contains("var label: String? { classes.first?.label }"))
    #expect(!source.contains("enum"))
  }

  @Test func `Labels are cases up to the maximum`() throws {
    let source = try source(scores: 256, labels: (0..<256).map { "label \($0)" })
    #expect(source.contains("let classes: [Labeled<Classification.Entry, Label>]\n"))
    #expect(source.contains("    case label255 = \"label 255\"\n"))
  }

  @Test(arguments: [["a", "b", "c"], ["a"]])
  func `Labels are strings if there are fewer than scores`(_ labels: [String]) throws {
    #expect(try !source(scores: 4, labels: labels).contains("enum"))
  }

  @Test(arguments: TaskRegistry.standard.formats.map { $0.names[0] })
  func `Every task has a result in typed code`(_ task: String) {
    let format = TaskRegistry.standard.formats.first { $0.names[0] == task }
    #expect(format?.interface != nil)
  }
}
