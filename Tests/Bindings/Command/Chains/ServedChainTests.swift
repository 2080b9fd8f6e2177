import Foundation
import TensorIO
import TensorIOServer
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand

/// Chains among the models of a server.
@Suite struct ServedChainTests {
  @Test func `A chain is opened with the bundles that are on disk then`() throws {
    let folder = try TemporaryFolder()
    for name in ["face-detector.tiobundle", "face-embedder.tiobundle", "faces.tiochain"] {
      _ = try folder.copy(ProjectFiles.path("Examples/Bundles/\(name)"), as: name)
    }
    let reader = ServedBundleReader(policy: .unrestricted, defaults: ServingSettings())
    let entry = reader.entry(
      at: ModelLocation("faces", path: "\(folder.path)/faces.tiochain"), isComplete: false)
    #expect(try entry.bundle?.get().name == "Drawn faces in an image as vectors")
    // Another version of a bundle, beside the chain, whose folder does not change.
    let description = "\(folder.path)/face-embedder.tiobundle/model.json"
    let text = try String(contentsOfFile: description, encoding: .utf8)
    try FileManager.default.removeItem(atPath: description)
    try folder.write(text + "\n", to: "face-embedder.tiobundle/model.json")
    #expect(throws: ModelError.self) { try Model(#require(entry.bundle).get()) }
    let console = Console(
      writeOutput: { _ in }, writeMessage: { _ in }, readInput: { _ in [] },
      isOutputTerminal: false, isMessageTerminal: false, environment: { _ in nil })
    let opener = try ModelOpener(
      ParsedArguments(["--isolation", "none"], flags: RunCommand.helpPage.allFlags),
      isServer: false)
    let model = try opener.catalogOpener(.unrestricted, console)(entry)
    #expect(model.outputs.last?.name == "embedding")
  }
}
