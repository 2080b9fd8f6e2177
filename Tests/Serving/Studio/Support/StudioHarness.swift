import Foundation
import TensorIO
import TensorIOCore
import TensorIOLibrary
import TensorIOServer
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCommand
@testable import TensorIOStudio

/// A studio without a socket, with a model library in a temporary folder.
///
/// Every response is checked: it must not contain a path of this machine.
struct StudioHarness {
  let home: TemporaryFolder
  let console: Console
  let settings: StudioSettingsStore
  let catalog: ModelCatalog
  let studio: Studio
  private let router: Router
  private let secrets: [String]

  /// Creates a studio with the bundles at the given paths.
  init(
    _ bundles: [String] = [Self.bundle("digits"), Self.bundle("diabetes")], data: [String] = [],
    host: (any StudioHost)? = nil, limits: PredictionLimits = PredictionLimits(),
    evaluationLimits: EvaluationJobs.Limits = EvaluationJobs.Limits(),
    videoLimits: StudioVideos.Limits = StudioVideos.Limits(),
    transcriptLimits: StudioTranscripts.Limits = StudioTranscripts.Limits(),
    arguments: [String] = [],
    hub: String? = nil, allowsPrivateDownloads: Bool = false, maxDownloadBytes: Int = 2 << 30
  ) throws {
    let home = try TemporaryFolder()
    self.home = home
    console = Console(
      writeOutput: { _ in }, writeMessage: { _ in }, readInput: { _ in [] },
      isOutputTerminal: false,
      isMessageTerminal: false,
      environment: { ["TENSORIO_HOME": home.path, "TENSORIO_HUB": hub][$0] ?? nil })
    let opener = try ModelOpener(ParsedArguments(arguments, flags: RunCommand.helpPage.allFlags))
    let host =
      host
      ?? LocalStudioHost(
        opener: opener, console: console, allowsPrivateDownloads: allowsPrivateDownloads,
        maxDownloadBytes: maxDownloadBytes)
    (settings, catalog) = (StudioSettingsStore(), Self.catalog(bundles, host))
    studio = Studio(
      catalog, settings, datasets: PreconfiguredDataset.all(at: data), host: host, version: "0",
      limits: limits, evaluationLimits: evaluationLimits, videoLimits: videoLimits,
      transcriptLimits: transcriptLimits)
    router = Router(StudioRoutes(studio).routes)
    secrets = [
      ProjectFiles.root.path, home.path, FileManager.default.temporaryDirectory.path + "/",
    ]
  }

  static func bundle(_ name: String) -> String {
    ProjectFiles.path("Examples/Bundles/\(name).tiobundle")
  }

  static func data(_ name: String) -> String { ProjectFiles.path("Examples/Data/\(name)") }

  static let heldOut = data("digits-held-out")

  private static func catalog(_ paths: [String], _ host: any StudioHost) -> ModelCatalog {
    let entries = paths.map { path in
      ModelCatalog.Entry(
        name: FilePath.stem(of: path), path: path,
        bundle: Result { () throws(ModelError) in
          try ModelBundle(at: path, options: OpeningOptions())
        })
    }
    return ModelCatalog(entries) { (entry) throws(ModelError) in
      guard let bundle = try entry.bundle?.get() else {
        throw ModelError(.bundle, .unsupported("a chain"))
      }
      return try host.open(bundle, .predict, Parallelism(items: 1, threadsPerSession: 1))
    }
  }
}

// MARK: Requests

extension StudioHarness {
  /// Sends a request to a path below `/studio/api`.
  func send(
    _ method: HTTPMethod, _ path: String, body: [UInt8] = []
  ) throws -> HTTPResponse {
    let target = try #require(RequestTarget("/studio/api" + path), "\(path)")
    let response = router.respond(to: HTTPRequest(method, target, body: body))
    let text = response.text
    for secret in secrets { #expect(!text.contains(secret), "\(path) reveals \(secret)") }
    #expect(response.headers["X-Content-Type-Options"] == "nosniff", "\(path)")
    #expect(response.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
    return response
  }

  func get(_ path: String) throws -> HTTPResponse { try send(.get, path) }

  func post(_ path: String, _ text: String) throws -> HTTPResponse {
    try send(.post, path, body: Array(text.utf8))
  }

  /// Sends a GET request; returns the JSON of the response.
  func json(_ path: String) throws -> JSONTree { try get(path).json() }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }

  func json() throws -> JSONTree { try JSONTree(text) }

  /// The code of an error.
  var code: String? { (try? json())?["code"]?.string }
}

// MARK: Evaluations

extension StudioHarness {
  /// Creates an evaluation; returns its identifier.
  func createEvaluation(of model: String, on dataset: String? = nil) throws -> String {
    let dataset = dataset.map { #""\#($0)""# } ?? "null"
    let response = try post("/evaluations", #"{"model": "\#(model)", "dataset": \#(dataset)}"#)
    #expect(response.status == .created, "\(response.text)")
    return try #require(response.json()["id"]?.string)
  }

  /// Uploads an image.
  func upload(_ path: String, _ bytes: [UInt8], to id: String) throws -> HTTPResponse {
    try send(.post, "/evaluations/\(id)/items?path=\(path)", body: bytes)
  }

  /// Waits until an evaluation is no longer running; returns its final status.
  func finalStatus(of id: String) async throws -> JSONTree {
    while true {
      let status = try json("/evaluations/\(id)")
      guard status["state"]?.string == "running" else { return status }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
