import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIORuntimes
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand
@testable import TensorIODrafting

/// One descriptor is enough for everything that consults the list of runtimes.
@Suite struct RuntimeRegistrationTests {
  static let runtimes = BuiltInRuntimes.all + [NewRuntime.descriptor]

  // MARK: The built-in runtimes

  @Test func `The built-in runtimes are those of the format and of the schema`() throws {
    let formats = Set(ModelFormat.standard)
    #expect(Set(BuiltInRuntimes.all.map(\.format)) == formats)
    let schema = try String(
      contentsOfFile: ProjectFiles.path("schema/model.schema.json"), encoding: .utf8)
    let pattern = formats.map(\.backend.rawValue).map { name in
      name.map { "[\($0.uppercased())\($0)]" }.joined()
    }
    for name in pattern { #expect(schema.contains(name)) }
    let alternatives = try #require(schema.firstMatch(of: #/"pattern": "\^\(([^)]*)\)\$"/#))
    #expect(alternatives.1.split(separator: "|").count == formats.count)
  }

  @Test func `The libraries have different names and variables`() {
    let libraries = BuiltInRuntimes.libraries
    #expect(Set(libraries.map(\.name)).count == libraries.count)
    #expect(Set(libraries.map(\.environmentVariable)).count == libraries.count)
    #expect(BuiltInRuntimes.all.filter(\.isRequired).map(\.identifier) == [.tflite])
  }

  @Test func `The help mentions every runtime`() {
    for library in BuiltInRuntimes.libraries {
      #expect(RuntimeCommand.helpPage.text().contains(library.name))
      #expect(TensorIOCommand.overview.contains(library.environmentVariable))
    }
  }

  // MARK: A new runtime

  @Test func `The commands find the library of a new runtime`() throws {
    let found = try RuntimeCommand.runtime("new", among: Self.runtimes)
    #expect(found.library == NewRuntime.library)
    let rows = RuntimeCommand.rows(NewRuntime.descriptor)
    #expect(rows.map(\.candidate.path).last == "libnew.so.1")
    #expect(rows.allSatisfy { $0.specification == NewRuntime.library })
    let flag = NewRuntime.library.pathFlag
    #expect(flag.name == "new-library")
    let arguments = try ParsedArguments(["--new-library", "/lib/libnew.so.1"], flags: [flag])
    let settings = arguments.runtimeSettings(of: Self.runtimes)
    #expect(settings[NewRuntime.name]?.library == "/lib/libnew.so.1")
    #expect(settings[.tflite]?.library == nil)
  }

  @Test func `The doctor checks a new runtime`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.write("", to: "libnew.so.1")
    let settings = [NewRuntime.name: RuntimeSettings(library: library)]
    let passed = try #require(DoctorCommand.checks(of: [NewRuntime.descriptor], settings).first)
    #expect(passed.check.name == "New Runtime" && passed.check.passed && !passed.isRequired)
    #expect(passed.check.message == library)
    let missing = try #require(DoctorCommand.checks(of: [NewRuntime.descriptor]).first)
    #expect(missing.check.passed)
    #expect(missing.check.message == "not installed; some bundles require it")
    #expect(missing.check.fix == "tensorio runtime install new")
  }

  @Test func `A runtime without a library has no check and no location`() throws {
    let runtime = RuntimeDescriptor(
      ModelFormat(NewRuntime.name, files: []), displayName: "Other"
    ) { _ in FakeBackend(.identity(TensorInfo(name: "x", elementType: .int8, shape: [1]))) }
    #expect(DoctorCommand.checks(of: [runtime]).isEmpty)
    #expect(RuntimeCommand.rows(runtime).isEmpty)
    #expect(throws: ModelError(.runtime, .unsupported("a library of Other"))) {
      try runtime.locateLibrary()
    }
  }

  @Test func `A bundle is drafted from the model of a new runtime`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "flowers.new")
    let sources = try DraftSources(
      model: path, labels: nil, exportMetadata: nil, name: nil,
      on: Self.runtimes.map { ConfiguredRuntime($0) })
    let draft = BundleDraft(from: sources)
    #expect(draft.description.backend == NewRuntime.name)
    #expect(draft.description.modelFile == "model.new")
    #expect(draft.description.author == "the author")
    #expect(draft.description.outputs.map(\.labelsFile) == ["labels.txt"])
    #expect(sources.runtime?.identifier == NewRuntime.name)
  }

  @Test func `A file of another framework names the formats of all runtimes`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "model.pt2")
    let error = #expect(throws: OperationError.self) {
      try DraftSources(
        model: path, labels: nil, exportMetadata: nil, name: nil,
        on: Self.runtimes.map { ConfiguredRuntime($0) })
    }
    let message = try #require(error).message
    #expect(message.contains(Self.runtimes.map(\.displayName).joined(separator: " or ")))
    #expect(message.contains(".tflite or a folder with saved_model.pb"))
    #expect(message.contains("or .new"))
  }

  @Test func `Isolation applies to a new runtime or reports that it does not support it`() throws {
    let runtime = RuntimeDescriptor(NewRuntime.descriptor.format, displayName: "Other") { _ in
      NewRuntime(settings: RuntimeSettings())
    }
    let backend = IsolatedBackend(runtime)
    let use = ModelBinding(ModelDescription(inputs: [], outputs: []), mode: .predict)
    #expect(throws: ModelError(.runtime, .unsupported("Other in a worker process"))) {
      _ = try backend.load(ModelFile(path: "model.new", name: "model.new"), for: use)
    }
  }
}
