import Foundation
import TensorIO
import TensorIOCore
import TensorIOServer
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOCommand
@testable import TensorIOStudio

/// A studio that is asked without a socket, with a library in a folder of its own.
///
/// Whatever it answers, nothing of it tells where files lie on this machine.
struct StudioBench {
  let home: TemporaryFolder
  let console: Console
  let settings: StudioSettingsStore
  let catalogue: ModelCatalog
  let studio: Studio
  private let table: Router
  private let secrets: [String]

  /// A studio of bundles at some paths.
  init(
    _ bundles: [String] = [Self.bundle("digits"), Self.bundle("diabetes")], data: [String] = [],
    library: (any StudioHost)? = nil, limits: EvaluationJobs.Limits = EvaluationJobs.Limits()
  ) throws {
    let home = try TemporaryFolder()
    self.home = home
    console = Console(
      writeOutput: { _ in }, writeMessage: { _ in }, readInput: { _ in [] }, isOutputTerminal: false,
      isMessageTerminal: false, environment: { $0 == "TENSORIO_HOME" ? home.path : nil })
    let opening = try ModelOpener(ParsedArguments([], flags: RunCommand.helpPage.allFlags))
    let files = LocalStudioHost(opener: opening, console: console)
    let library = library ?? files
    (settings, catalogue) = (StudioSettingsStore(), Self.catalogue(bundles, library))
    studio = Studio(
      catalogue, settings, datasets: PreconfiguredDataset.all(at: data), host: library, version: "0",
      limits: limits)
    table = Router(StudioRoutes(studio).routes)
    secrets = [
      ProjectFiles.root.path, home.path, FileManager.default.temporaryDirectory.path + "/",
    ]
  }

  static func bundle(_ name: String) -> String {
    ProjectFiles.path("Examples/Bundles/\(name).tiobundle")
  }

  static let heldOut = ProjectFiles.path("Examples/Data/digits-held-out")

  private static func catalogue(
    _ paths: [String], _ library: any StudioHost
  ) -> ModelCatalog {
    let entries = paths.map { path in
      ModelCatalog.Entry(
        name: BundleName.stem(of: path), path: path,
        bundle: Result { () throws(ModelError) in try ModelBundle(at: path) })
    }
    return ModelCatalog(entries) { (entry) throws(ModelError) in
      guard let bundle = try entry.bundle?.get() else {
        throw ModelError(.bundle, .unsupported("a chain"))
      }
      return try library.open(bundle, .predict, Parallelism(items: 1, threadsPerSession: 1))
    }
  }
}

// MARK: Asking

extension StudioBench {
  /// What a request is answered with, below `/studio/api`.
  func ask(
    _ method: HTTPMethod, _ path: String, body: [UInt8] = []
  ) throws -> HTTPResponse {
    let target = try #require(RequestTarget("/studio/api" + path), "\(path)")
    let answer = table.respond(to: HTTPRequest(method, target, body: body))
    let text = answer.text
    for secret in secrets { #expect(!text.contains(secret), "\(path) tells of \(secret)") }
    #expect(answer.headers["X-Content-Type-Options"] == "nosniff", "\(path)")
    #expect(answer.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
    return answer
  }

  func get(_ path: String) throws -> HTTPResponse { try ask(.get, path) }

  func post(_ path: String, _ text: String) throws -> HTTPResponse {
    try ask(.post, path, body: Array(text.utf8))
  }

  /// The answer to a request for JSON.
  func json(_ path: String) throws -> JSONTree { try get(path).json() }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }

  func json() throws -> JSONTree { try JSONTree(text) }

  /// The code of a refusal.
  var code: String? { (try? json())?["error"]?["code"]?.string }
}

// MARK: Evaluations

extension StudioBench {
  /// Begins an evaluation and returns by what it is asked for.
  func evaluation(of model: String, _ data: String? = nil) throws -> String {
    let wish = #"{"model": "\#(model)", "data": \#(data.map { #""\#($0)""# } ?? "null")}"#
    let answer = try post("/evaluations", wish)
    #expect(answer.status == .created, "\(answer.text)")
    return try #require(answer.json()["id"]?.string)
  }

  /// Brings a picture.
  func bring(_ path: String, _ bytes: [UInt8], to id: String) throws -> HTTPResponse {
    try ask(.post, "/evaluations/\(id)/items?path=\(path)", body: bytes)
  }

  /// Waits until an evaluation is over, and returns what is told of it then.
  func end(of id: String) async throws -> JSONTree {
    while true {
      let facts = try json("/evaluations/\(id)")
      guard let state = facts["state"]?.string else { return facts }
      if state != "running" { return facts }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
