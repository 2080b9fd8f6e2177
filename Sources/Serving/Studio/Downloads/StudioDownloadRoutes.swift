import TensorIOBundle
import TensorIOJSON
import TensorIOServer

/// The routes that download bundles and models by their URL or their name on a hub.
struct StudioDownloadRoutes: Sendable {
  let studio: Studio

  /// The maximum number of bytes of a URL or name.
  private static let maxSourceBytes = 4096

  var routes: [Route] {
    [
      .studio(.post, "/downloads") { (request) throws(ClientError) in try start(request) },
      .studio(.get, "/downloads/:id", .inline) { (request) throws(ClientError) in
        response(.ok, try download(request))
      },
      .studio(.delete, "/downloads/:id") { (request) throws(ClientError) in
        let download = try download(request)
        download.cancel()
        return response(.ok, download)
      },
      .studio(.post, "/downloads/:id/import") { (request) throws(ClientError) in
        try importDraft(request)
      },
    ]
  }

  private func download(_ request: HTTPRequest) throws(ClientError) -> ModelDownload {
    try studio.downloads.download(request.pathParameter("id"))
  }

  private func start(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let body = try request.jsonObject()
    guard let source = body["source"]?.string, !source.isEmpty,
      source.utf8.count <= Self.maxSourceBytes
    else {
      throw .badRequest("'source' must be the URL of a model or bundle, or its name on the hub")
    }
    return response(
      .accepted, try studio.download(source, isReplacing: body["replace"]?.bool ?? false))
  }

  private func importDraft(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let (download, body) = (try download(request), try request.jsonObject())
    guard let description = body["description"]?.string, let name = body["name"]?.string else {
      throw .badRequest("'description' must be the text of model.json, and 'name' a name")
    }
    let isReplacing = body["replace"]?.bool ?? false
    let model = try download.importDraft(
      Array(description.utf8), name: name, isReplacing: isReplacing,
      reservedNames: studio.reservedNames(isReplacing: isReplacing))
    studio.register(model)
    return .jsonObject(.created) { studio.writeMembers(of: model, to: &$0) }
  }

  private func response(_ status: HTTPStatus, _ download: ModelDownload) -> HTTPResponse {
    let (received, total) = download.byteCounts
    return .jsonObject(status) { writer in
      writer.member("id", download.id)
      writer.member("source", download.source)
      writer.member("received", received)
      writer.member("total", orNull: total.map(Double.init))
      switch download.state {
      case .running: writer.member("state", "running")
      case .cancelled: writer.member("state", "cancelled")
      case .failed(let error):
        writer.member("state", "failed")
        writer.member("error", error.message)
        writer.member("code", error.code)
        writer.member("diagnostics", array: error.diagnostics ?? []) { $0.value($1) }
      case .imported(let model):
        writer.member("state", "imported")
        studio.writeMembers(of: model, to: &writer)
      case .drafted(let draft):
        writer.member("state", "drafted")
        writer.member("draft", object: { draft.draft.writeMembers(to: &$0) })
      }
    }
  }
}

extension Studio {
  /// Starts the download of a bundle or model.
  func download(_ source: String, isReplacing: Bool) throws(ClientError) -> ModelDownload {
    try downloads.start(
      source, isReplacing: isReplacing, reservedNames: reservedNames(isReplacing: isReplacing),
      add: register)
  }

  /// The names that an imported bundle must not have.
  func reservedNames(isReplacing: Bool) -> Set<String> {
    isReplacing ? [] : Set(catalog.entries.map(\.name))
  }

  /// Adds an imported model to the models, in place of those that it replaced.
  func register(_ model: ImportedModel) {
    for name in model.replacedNames { catalog.remove(named: name) }
    catalog.add(model.entry)
  }

  /// Writes an imported model and the diagnostics of its validation.
  func writeMembers(of model: ImportedModel, to writer: inout JSONWriter) {
    writer.member("model") { writeMembers(of: model.entry, to: &$0) }
    writer.member("diagnostics", array: model.diagnostics) { $0.value($1) }
  }
}
