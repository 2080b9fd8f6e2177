internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOServer
internal import TensorIOSystem

/// Evaluations: begun, filled, watched, cancelled and taken home.
struct EvaluationRoutes: Sendable {
  let studio: Studio

  var routes: [Route] {
    [
      .studio(.post, "/evaluations") { (request) throws(StudioRefusal) in try make(request) },
      .studio(.post, "/evaluations/:id/items", bodyLimit: ImageLimits.fileBytes) {
        (request) throws(StudioRefusal) in try add(request)
      },
      .studio(.post, "/evaluations/:id/start") { (request) throws(StudioRefusal) in
        try start(request)
      },
      .studio(.get, "/evaluations/:id") { (request) throws(StudioRefusal) in
        answer(.ok, try job(request))
      },
      .studio(.delete, "/evaluations/:id") { (request) throws(StudioRefusal) in
        let job = try job(request)
        job.cancel()
        return answer(.ok, job)
      },
      .studio(.get, "/evaluations/:id/picture") { (request) throws(StudioRefusal) in
        try picture(request)
      },
      .studio(.get, "/evaluations/:id/report.json") { (request) throws(StudioRefusal) in
        HTTPResponse(type: FileType(fileName: "report.json").name, body: try report(request).json)
      },
      .studio(.get, "/evaluations/:id/report.csv") { (request) throws(StudioRefusal) in
        HTTPResponse(type: FileType(fileName: "report.csv").name, body: try report(request).csv)
      },
      .studio(.get, "/evaluations/:id/report.html") { (request) throws(StudioRefusal) in
        var page = HTTPResponse(
          type: FileType(fileName: "report.html").name, body: try report(request).html)
        page.headers[BrowserGuard.policyName] = BrowserGuard.reportPolicy
        return page
      },
    ]
  }

  private func job(_ request: HTTPRequest) throws(StudioRefusal) -> EvaluationJob {
    try studio.jobs.job(request.word("id"))
  }

  private func answer(_ status: HTTPStatus, _ job: EvaluationJob) -> HTTPResponse {
    .json(status) { writer in
      writer.object { job.writeMembers(to: &$0, program: studio.version) }
    }
  }
}

// MARK: Beginning

extension EvaluationRoutes {
  private func make(_ request: HTTPRequest) throws(StudioRefusal) -> HTTPResponse {
    let wish = try request.object()
    guard let name = wish["model"]?.string else {
      throw .misunderstood("'model' is the name of the model to judge")
    }
    let data = try data(wish["data"])
    let job = try studio.jobs.make(studio.entry(named: name), data)
    guard data != nil else { return answer(.created, job) }
    do throws(StudioRefusal) {
      try start(job)
    } catch {
      studio.jobs.remove(job)
      throw error
    }
    return answer(.created, job)
  }

  private func data(_ node: JSONNode?) throws(StudioRefusal) -> OfferedData? {
    guard let node, node.kind != .null else { return nil }
    guard let name = node.string else {
      throw .misunderstood("'data' is the name of data that is offered, or null")
    }
    guard let data = studio.data.first(where: { $0.name == name }) else { throw .unknown("data") }
    return data
  }

  private func start(_ job: EvaluationJob) throws(StudioRefusal) {
    try studio.jobs.start(job, threads: studio.settings.current.threads)
  }
}

// MARK: Bringing pictures

extension EvaluationRoutes {
  private func add(_ request: HTTPRequest) throws(StudioRefusal) -> HTTPResponse {
    let pictures = try openFolder(of: job(request))
    guard let path = request.target["path"].flatMap(ItemPath.init) else {
      throw .misunderstood("'path' is the label and the name of a picture, such as cat/7.jpg")
    }
    try pictures.add(path, request.body)
    return .done
  }

  private func start(_ request: HTTPRequest) throws(StudioRefusal) -> HTTPResponse {
    let job = try job(request)
    guard try openFolder(of: job).count > 0 else {
      throw StudioRefusal(.conflict, "no-pictures", "there are no pictures to judge the model by")
    }
    try start(job)
    return answer(.accepted, job)
  }

  /// The pictures of an evaluation that has not begun.
  private func openFolder(of job: EvaluationJob) throws(StudioRefusal) -> BroughtPictures {
    guard case .brought(let pictures) = job.source, job.progress.stage == .filling else {
      throw StudioRefusal(.conflict, "started-already", "the evaluation was started already")
    }
    return pictures
  }
}

// MARK: Taking home

extension EvaluationRoutes {
  private func report(_ request: HTTPRequest) throws(StudioRefusal) -> ToldReport {
    guard let report = ToldReport(try job(request), program: studio.version) else {
      throw StudioRefusal(.conflict, "no-report", "nothing was judged yet")
    }
    return report
  }

  /// The picture of one of the worst mistakes or best answers, by the name that the report has.
  private func picture(_ request: HTTPRequest) throws(StudioRefusal) -> HTTPResponse {
    guard let name = request.target["name"], let path = try report(request).picture(of: name),
      let bytes = try? FileBytes.contents(of: path, limit: ImageLimits.fileBytes),
      let format = ImageFileFormat(beginningOf: bytes)
    else { throw .unknown("picture") }
    return HTTPResponse(type: FileType(format).name, body: bytes)
  }
}
