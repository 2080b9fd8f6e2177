import TensorIOCore
@testable import TensorIOBundle
@testable import TensorIOJSON
@testable import TensorIOServer
@testable import TensorIOStudio

/// What the page asks of the program that it belongs to.
enum StudioReaders {
  private static let bodyLimit = 1 << 16

  /// Requests are answered, and an answer that says that it is JSON is.
  static func requests(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let catalogue else { throw BrokenPromise(description: "there is no bundle") }
    let studio = Studio(catalogue, StudioSettingsStore(), host: NoLibrary(), version: "0")
    let table = Router(StudioRoutes(studio).routes)
    for request in requests(in: bytes) {
      let answer = table.respond(to: request)
      guard answer.headers["Content-Type"] == "application/json" else { continue }
      try promise(
        unlessRefused { try JSONDocument(parsing: answer.body, dialect: .modelDescription) } != nil,
        "an answer is no JSON")
    }
    studio.close()
  }

  private static func requests(in bytes: [UInt8]) -> [HTTPRequest] {
    var parser = RequestParser()
    parser.append(bytes[...])
    var (heads, requests): ([RequestHead], [HTTPRequest]) = ([], [])
    while let event = unlessRefused({ try parser.nextEvent() }).flatMap(\.self) {
      switch event {
      case .head(let head):
        heads.append(head)
        guard unlessRefused({ try parser.acceptBody(maxBytes: bodyLimit) }) != nil else {
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

  /// One bundle, which cannot be run.
  private static let catalogue = unlessRefused {
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

/// Nothing is opened, taken in or kept.
private struct NoLibrary: StudioHost {
  func open(
    _ bundle: ModelBundle, _ mode: ModelMode, _ parallelism: Parallelism
  ) throws(ModelError) -> Model { throw ModelError(.bundle, .unsupported("a run")) }

  func importBundle(
    _ zip: [UInt8], name: String?, isReplacing: Bool, reservedNames: Set<String>
  ) throws(StudioError) -> ImportedModel { throw .badRequest("nothing is taken in") }

  func saveSettings(_ choice: StudioSettings, replacing old: StudioSettings) throws(StudioError) {}
}
