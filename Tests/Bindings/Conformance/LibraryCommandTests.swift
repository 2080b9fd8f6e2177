import TensorIO
import TensorIOBundle
import TensorIOTestSupport
import Testing

/// Bundles that the command line finds by name.
@Suite struct LibraryCommandTests {
  private var console: TestConsole {
    var console = TestConsole()
    console.environment = [
      "TENSORIO_MODELS": "/nowhere:" + ProjectFiles.path("Examples/Bundles")
    ]
    return console
  }

  @Test(arguments: ["digits", "digits.tiobundle"])
  func `A bundle is found by the name of its folder`(_ name: String) throws {
    let outcome = console.run(["inspect", name, "--format", "json"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(console.run(["run", name]).exitCode == 0)
    #expect(console.run(["validate", name]).exitCode == 0)
  }

  @Test func `A bundle is found by its name and identifier`() throws {
    let bundle = try ModelBundle(at: ProjectFiles.path("Examples/Bundles/diabetes.tiobundle"))
    for argument in [bundle.name, bundle.id] {
      let outcome = console.run(["inspect", argument])
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
  }

  @Test func `An unknown name is an error with the closest match`() {
    let outcome = console.run(["run", "digts"])
    #expect(outcome.exitCode == 3)
    #expect(outcome.messages.contains("did you mean 'digits'?"), "\(outcome)")
    #expect(TestConsole.run(["run", "digts"]).messages.contains("no such bundle"))
    #expect(console.run(["run", "./digts"]).messages.contains("no such bundle"))
  }
}

/// A library that holds a bundle in a zip.
@Suite struct PackedLibraryTests {
  @Test func `A zip archive with the bundle extension is opened`() throws {
    let folder = try TemporaryFolder()
    let bundle = try ModelBundle(at: ProjectFiles.path("Examples/Bundles/diabetes.tiobundle"))
    try bundle.pack(to: folder.path + "/packed.tiobundle")
    let library = try ModelLibrary(at: folder.path)
    #expect(library.issues.isEmpty)
    #expect(try library.bundle(named: "packed").id == bundle.id)
  }
}
