internal import TensorIOCore
internal import TensorIOServer
internal import TensorIOSystem

/// What a model's bundle holds, and what the model sees.
struct ModelRoutes: Sendable {
  let studio: Studio

  var routes: [Route] {
    [
      .studio(.get, "/models/:name/description") { (request) throws(StudioRefusal) in
        let text = try entry(request).description()
        return HTTPResponse(type: "application/json", body: text)
      },
      .studio(.get, "/models/:name/samples") { (request) throws(StudioRefusal) in
        let entry = try entry(request)
        return .json { writer in writer.array { SampleFiles(entry).write(to: &$0) } }
      },
      .studio(.get, "/models/:name/samples/:file") { (request) throws(StudioRefusal) in
        try SampleFiles(entry(request)).answer(request.word("file"))
      },
      .studio(.post, "/models/:name/seen") { (request) throws(StudioRefusal) in
        try seen(request)
      },
    ]
  }

  private func entry(_ request: HTTPRequest) throws(StudioRefusal) -> ModelCatalogue.Entry {
    try studio.entry(named: request.word("name"))
  }

  private func seen(_ request: HTTPRequest) throws(StudioRefusal) -> HTTPResponse {
    let entry = try entry(request)
    do throws(ModelError) {
      let model = try studio.catalogue.model(named: entry.name).model
      return try SeenInputs(request.body, of: model).response
    } catch {
      throw StudioRefusal(error, entry.veil)
    }
  }
}

extension Studio {
  /// What a name stands for.
  func entry(named name: String) throws(StudioRefusal) -> ModelCatalogue.Entry {
    guard let entry = catalogue.entries.first(where: { $0.name == name }) else {
      throw .unknown("model")
    }
    return entry
  }
}

extension ModelCatalogue.Entry {
  /// The text of the description, as it is.
  fileprivate func description() throws(StudioRefusal) -> [UInt8] {
    do throws(ModelError) {
      if let openBundle {
        return try FileBytes.read(
          openBundle.file(named: "model.json"), limit: JSONLimits.descriptionBytes)
      }
      let name = bundle == nil ? "chain.json" : "model.json"
      return try FileBytes.read("\(path)/\(name)", limit: JSONLimits.descriptionBytes)
    } catch {
      throw .unknown("description")
    }
  }
}
