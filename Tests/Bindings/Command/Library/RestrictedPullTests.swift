import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand

/// Downloads for clients of a server, which are restricted to public addresses and the hub.
@Suite(.ownThreads) struct RestrictedPullTests {
  private let home: TemporaryFolder
  private let folder: TemporaryFolder
  private let server: FileServer

  init() throws {
    home = try TemporaryFolder()
    folder = try TemporaryFolder()
    try folder.write("0123abcd", to: "commit")
    try folder.write(
      String(repeating: "small", count: 60_000), to: "repository/onnx/model_cut.onnx")
    try folder.write("weights", to: "repository/onnx/model_cut.onnx_data")
    server = try FileServer(folder)
  }

  private var console: Console {
    let (home, hub) = (home.path, server.address("hub/"))
    return Console(
      writeOutput: { _ in }, writeMessage: { _ in }, readInput: { _ in [] },
      isOutputTerminal: false, isMessageTerminal: false,
      environment: { ["TENSORIO_HOME": home, "TENSORIO_HUB": hub][$0] })
  }

  private func download(_ policy: AddressPolicy) -> Download {
    var download = Download(console: console) { false }
    download.addressPolicy = policy
    return download
  }

  private func pull(_ policy: AddressPolicy) throws -> String {
    try ModelPuller(
      name: HubModel.Name("owner/name"), variant: "cut", updates: false, isOffline: false,
      download: download(policy), console: console
    ).run()
  }

  @Test func `A transfer from the hub that is redirected and breaks off is continued`() throws {
    let authority = try #require(DownloadURL(server.address("hub"))?.authority)
    let path = try pull(.publicOnly(trusted: authority))
    for name in ["onnx/model_cut.onnx", "onnx/model_cut.onnx_data"] {
      #expect(
        FileManager.default.contentsEqual(
          atPath: "\(path)/\(name)", andPath: "\(folder.path)/repository/\(name)"), "\(name)")
    }
  }

  @Test func `A hub that is not trusted is not reached`() throws {
    #expect { try pull(.publicOnly()) } throws: {
      "\($0)".contains(AddressPolicy.privateAddressCode)
    }
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/requests"))
  }

  @Test func `Redirections to files and too many of them are errors`() throws {
    try folder.write("contents", to: "a.txt")
    let authority = try #require(DownloadURL(server.address("file"))?.authority)
    let policy = AddressPolicy.publicOnly(trusted: authority)
    let path = folder.path + "/target"
    try download(policy).fetch(server.address("redirect/5/a.txt"), to: path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "contents")
    for address in ["redirect/6/a.txt", "elsewhere/a.txt"] {
      #expect(throws: (any Error).self, "\(address)") {
        try download(policy).fetch(server.address(address), to: path)
      }
    }
  }
}
