import TensorIOCore
import TensorIOTasks

@testable import TensorIOBundle
@testable import TensorIOJSON
@testable import TensorIOServer
@testable import TensorIOStudio

/// The requests of the studio's page.
enum StudioReaders {
  private static let bodyLimit = 1 << 16

  /// Every request has a response, and responses of type JSON are valid JSON.
  static func requests(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let catalog else {
      throw PropertyViolation(description: "the bundle could not be created")
    }
    let studio = Studio(catalog, StudioSettingsStore(), host: NoLibrary(), version: "0")
    let table = Router(StudioRoutes(studio).routes)
    for request in requests(in: bytes) {
      let response = table.respond(to: request)
      guard response.headers["Content-Type"] == "application/json" else { continue }
      try verify(
        unlessRejected { try JSONDocument(parsing: response.body, dialect: .modelDescription) }
          != nil,
        "a response is not JSON")
    }
    studio.close()
  }

  private static func requests(in bytes: [UInt8]) -> [HTTPRequest] {
    var parser = RequestParser()
    parser.append(bytes[...])
    var (heads, requests): ([RequestHead], [HTTPRequest]) = ([], [])
    while let event = unlessRejected({ try parser.nextEvent() }).flatMap(\.self) {
      switch event {
      case .head(let head):
        heads.append(head)
        guard unlessRejected({ try parser.acceptBody(maxBytes: bodyLimit) }) != nil else {
          return requests
        }
      case .body(let body):
        guard let head = heads.popLast() else { return requests }
        requests.append(
          HTTPRequest(head.line.method, head.line.target, headers: head.headers, body: body))
      }
    }
    return requests
  }

  /// A catalog of one bundle that cannot be run.
  private static let catalog = unlessRejected {
    _ = try FuzzedFile.holding([0], named: "m.tiobundle/model.tflite")
    let description = try FuzzedFile.holding(
      Array(Self.description.utf8), named: "m.tiobundle/model.json")
    let path = String(description.dropLast("/model.json".count))
    let bundle = Result { () throws(ModelError) in try ModelBundle(at: path) }
    return ModelCatalog([ModelCatalog.Entry(name: "m", path: path, bundle: bundle)]) {
      (_) throws(ModelError) in throw ModelError(.bundle, .unsupported("a run"))
    }
  }

  private static let description = """
    {"name": "M", "id": "m", "version": "1", "model": {"file": "model.tflite", "backend": "tflite"},
    "inputs": [{"name": "x", "type": "array", "shape": [2]}],
    "outputs": [{"name": "y", "type": "array", "shape": [2]}]}
    """
}

/// A host that opens, imports and saves nothing.
private struct NoLibrary: StudioHost {
  func open(
    _ bundle: ModelBundle, _ mode: ModelMode, _ parallelism: Parallelism
  ) throws(ModelError) -> Model { throw ModelError(.bundle, .unsupported("a run")) }

  func importBundle(
    _ zip: [UInt8], name: String?, isReplacing: Bool, reservedNames: Set<String>
  ) throws(ClientError) -> ImportedModel { throw .badRequest("imports are not supported") }

  func draftBundle(of model: [UInt8], named fileName: String) throws(ClientError) -> DraftedBundle {
    throw .badRequest("drafts are not supported")
  }

  func downloadModel(
    _ source: String, isReplacing: Bool, reservedNames: Set<String>,
    onProgress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(ClientError) -> DownloadedModel { throw .badRequest("downloads are not supported") }

  func requireVideoDecoder() throws(ClientError) {}

  func processVideo(
    at path: String, with model: Model, _ options: ResultOptions, onStart: (Double?) -> Void,
    onFrame: (ProcessedFrame) -> Bool, isCancelled: @escaping @Sendable () -> Bool
  ) throws(ClientError) {
    throw ClientError(.internalServerError, "unreadable", "the test host reads no videos")
  }

  func isInLibrary(_ path: String) -> Bool { false }

  func removeBundle(at path: String) throws(ClientError) {
    throw .badRequest("removals are not supported")
  }

  func missingRuntime(for backend: BackendIdentifier) -> MissingStudioRuntime? { nil }

  func saveSettings(_ choice: StudioSettings, replacing old: StudioSettings) throws(ClientError) {}
}
