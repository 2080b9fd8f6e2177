import Foundation
import TensorIO
import TensorIOServer
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand

/// Folders of model hubs among the models of a server.
@Suite struct ServedHubFolderTests {
  private let hub = ProjectFiles.path("Tests/Fixtures/Hub/sentences")
  private let console = Console(
    writeOutput: { _ in }, writeMessage: { _ in }, readInput: { _ in [] },
    isOutputTerminal: false, isMessageTerminal: false, environment: { _ in nil })

  @Test(arguments: [nil, Isolation.Level.process])
  func `A folder that is an argument is served under its name`(level: Isolation.Level?) throws {
    let options = OpeningOptions(isolation: level.map { Isolation(level: $0) })
    let models = try ServedModels([hub], hubOptions: options, console)
    let entry = try #require(models.entries.first?.entry)
    #expect(models.entries.count == 1 && entry.name == "sentences")
    let opener = try ModelOpener(
      ParsedArguments(["--isolation", "none"], flags: RunCommand.helpPage.allFlags),
      isServer: false)
    let model = try opener.catalogOpener(.unrestricted, console)(entry)
    #expect(try model.run("Ada wrote the first program.").embedding.values.count == 4)
    // While the server runs, no model is loaded in its process.
    let changed = try #require(models.source.list().locations.first)
    #expect(changed.path == hub)
    let error = models.source.read(changed).error
    #expect(error?.message.contains("when the server starts") == true)
    #expect(models.entries(named: "sentences").first?.error != nil)
  }

  @Test func `A sandbox rejects the folder, and so do servers of bundles alone`() {
    let sandbox = OpeningOptions(isolation: Isolation(level: .sandbox))
    let error = #expect(throws: (any Error).self) {
      try ServedModels([hub], hubOptions: sandbox, console)
    }
    #expect("\(String(describing: error))".contains("sandbox"))
    // A caller that does not ask for it finds no bundles in the folder.
    #expect(throws: (any Error).self) { try ServedModels([hub], console) }
  }

  @Test func `Folders of hubs inside of a folder are not served`() throws {
    let parent = ProjectFiles.path("Tests/Fixtures/Hub")
    let models = try ServedModels(
      [parent], mayBeEmpty: true, hubOptions: OpeningOptions(), console)
    #expect(models.entries.isEmpty)
  }
}
