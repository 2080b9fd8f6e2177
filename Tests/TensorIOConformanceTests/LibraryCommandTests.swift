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
  func `a bundle is found by the name of its folder`(_ name: String) throws {
    let outcome = console.run(["inspect", name, "--format", "json"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(console.run(["run", name]).exitCode == 0)
    #expect(console.run(["validate", name]).exitCode == 0)
  }

  @Test func `a bundle is found by its own name and by its id`() throws {
    let bundle = try ModelBundle(at: ProjectFiles.path("Examples/Bundles/diabetes.tiobundle"))
    for word in [bundle.name, bundle.id] {
      let outcome = console.run(["inspect", word])
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
  }

  @Test func `a name that no bundle has is told with the nearest`() {
    let outcome = console.run(["run", "digts"])
    #expect(outcome.exitCode == 3)
    #expect(outcome.messages.contains("did you mean 'digits'?"), "\(outcome)")
    #expect(TestConsole.run(["run", "digts"]).messages.contains("there is no such bundle"))
    #expect(console.run(["run", "./digts"]).messages.contains("there is no such bundle"))
  }
}

/// A library that holds a bundle in a zip.
@Suite struct PackedLibraryTests {
  @Test func `a zip that is named as a bundle is one`() throws {
    let folder = try TemporaryFolder()
    let bundle = try ModelBundle(at: ProjectFiles.path("Examples/Bundles/diabetes.tiobundle"))
    try bundle.pack(to: folder.path + "/packed.tiobundle")
    let library = try ModelLibrary(at: folder.path)
    #expect(library.issues.isEmpty)
    #expect(try library.bundle(named: "packed").id == bundle.id)
  }
}
