import Foundation
import TensorIO
import TensorIOBundle
import TensorIOGeneration
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// The files in `Generated` are compiled as a part of this target, with warnings as errors.
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

  static let cases =
    [
      "diabetes", "digits", "digits-embedder", "shape-detector", "style-transform", "tones",
      "topics",
      "two-in-two-out-quantized",
    ].map { Case(bundle: "Examples/Bundles/\($0).tiobundle") } + [
      Case(bundle: "Tests/Fixtures/Generation/everything.tiobundle", access: .public)
    ]

  @Test(arguments: cases)
  func `The generated file is the one that is checked in`(_ example: Case) throws {
    let generator = try example.generator
    let path = ProjectFiles.path(
      "Tests/TensorIOGenerationTests/Generated/\(generator.typeName).swift")
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

  @Test func `A text with more labels than an enumeration has is a string`() throws {
    let labels = (0..<257).map { "label \($0)" }.joined(separator: "\n")
    let output = #"{"name": "y", "type": "array", "shape": [257], "labels": "labels.txt"}"#
    let bundle = try TestBundle(outputs: output, labels: labels).read()
    let source = try SwiftModelGenerator(bundle).source()
    #expect(source.contains("let classes: [Classification.Entry]\n"))
    #expect(source.contains("var label: String? { classes.first?.label }"))
    #expect(!source.contains("enum"))
  }

  @Test(arguments: ["a\nb\nc", "a"])
  func `Labels are strings if there are fewer than scores`(_ labels: String) throws {
    let output = #"{"name": "y", "type": "array", "shape": [4], "labels": "labels.txt"}"#
    let bundle = try TestBundle(outputs: output, labels: labels).read()
    #expect(try !SwiftModelGenerator(bundle).source().contains("enum"))
  }

  @Test(arguments: TaskRegistry.standard.formats.flatMap(\.typeNames))
  func `Every task has a result in typed code`(_ task: String) {
    #expect(InterfaceResult.allCases.contains { $0.taskNames.contains(task) })
  }
}
