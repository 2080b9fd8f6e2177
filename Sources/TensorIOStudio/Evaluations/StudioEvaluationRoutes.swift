import TensorIOBundle
import TensorIOEvaluation
import TensorIOImage
import TensorIOJSON
import TensorIOServer
import TensorIOSystem

/// Evaluations: begun, filled, watched, cancelled and taken home.
struct StudioEvaluationRoutes: Sendable {
  let studio: Studio

  var routes: [Route] {
    [
      .studio(.post, "/evaluations") { (request) throws(StudioError) in try create(request) },
      .studio(.post, "/evaluations/:id/items", maxBodyBytes: ImageLimits.maxFileBytes) {
        (request) throws(StudioError) in try addImage(request)
      },
      .studio(.post, "/evaluations/:id/start") { (request) throws(StudioError) in
        try start(request)
      },
      .studio(.get, "/evaluations/:id") { (request) throws(StudioError) in
        response(.ok, try job(request))
      },
      .studio(.delete, "/evaluations/:id") { (request) throws(StudioError) in
        let job = try job(request)
        job.cancel()
        return response(.ok, job)
      },
      .studio(.get, "/evaluations/:id/picture") { (request) throws(StudioError) in
        try image(request)
      },
      .studio(.get, "/evaluations/:id/report.json") { (request) throws(StudioError) in
        HTTPResponse(type: ContentType(fileName: "report.json").value, body: try report(request).json)
      },
      .studio(.get, "/evaluations/:id/report.csv") { (request) throws(StudioError) in
        HTTPResponse(type: ContentType(fileName: "report.csv").value, body: try report(request).csv)
      },
      .studio(.get, "/evaluations/:id/report.html") { (request) throws(StudioError) in
        var page = HTTPResponse(
          type: ContentType(fileName: "report.html").value, body: try report(request).html)
        page.headers[SecurityHeaders.contentSecurityPolicy] = SecurityHeaders.reportContentSecurityPolicy
        return page
      },
    ]
  }

  private func job(_ request: HTTPRequest) throws(StudioError) -> EvaluationJob {
    try studio.jobs.job(request.pathParameter("id"))
  }

  private func response(_ status: HTTPStatus, _ job: EvaluationJob) -> HTTPResponse {
    .json(status) { writer in
      writer.object { job.writeMembers(to: &$0, program: studio.version) }
    }
  }
}

// MARK: Beginning

extension StudioEvaluationRoutes {
  private func create(_ request: HTTPRequest) throws(StudioError) -> HTTPResponse {
    let wish = try request.jsonObject()
    guard let name = wish["model"]?.string else {
      throw .badRequest("'model' is the name of the model to judge")
    }
    let data = try dataset(wish["data"])
    let job = try studio.jobs.create(studio.entry(named: name), data)
    guard data != nil else { return response(.created, job) }
    do throws(StudioError) {
      try start(job)
    } catch {
      studio.jobs.remove(job)
      throw error
    }
    return response(.created, job)
  }

  private func dataset(_ node: JSONNode?) throws(StudioError) -> PreconfiguredDataset? {
    guard let node, node.kind != .null else { return nil }
    guard let name = node.string else {
      throw .badRequest("'data' is the name of data that is offered, or null")
    }
    guard let data = studio.datasets.first(where: { $0.name == name }) else { throw .notFound("data") }
    return data
  }

  private func start(_ job: EvaluationJob) throws(StudioError) {
    try studio.jobs.start(job, threads: studio.settings.current.threads)
  }
}

// MARK: Bringing pictures

extension StudioEvaluationRoutes {
  private func addImage(_ request: HTTPRequest) throws(StudioError) -> HTTPResponse {
    let pictures = try pendingUpload(of: job(request))
    guard let path = request.target["path"].flatMap(UploadPath.init) else {
      throw .badRequest("'path' is the label and the name of a picture, such as cat/7.jpg")
    }
    try pictures.add(path, request.body)
    return .noContent
  }

  private func start(_ request: HTTPRequest) throws(StudioError) -> HTTPResponse {
    let job = try job(request)
    guard try pendingUpload(of: job).count > 0 else {
      throw StudioError(.conflict, "no-pictures", "there are no pictures to judge the model by")
    }
    try start(job)
    return response(.accepted, job)
  }

  /// The pictures of an evaluation that has not begun.
  private func pendingUpload(of job: EvaluationJob) throws(StudioError) -> UploadedImages {
    guard case .uploaded(let pictures) = job.source, job.progress.state == .uploading else {
      throw StudioError(.conflict, "started-already", "the evaluation was started already")
    }
    return pictures
  }
}

// MARK: Taking home

extension StudioEvaluationRoutes {
  private func report(_ request: HTTPRequest) throws(StudioError) -> RedactedReport {
    guard let report = RedactedReport(try job(request), program: studio.version) else {
      throw StudioError(.conflict, "no-report", "nothing was judged yet")
    }
    return report
  }

  /// The picture of one of the worst mistakes or best answers, by the name that the report has.
  private func image(_ request: HTTPRequest) throws(StudioError) -> HTTPResponse {
    guard let name = request.target["name"], let path = try report(request).imagePath(of: name),
      let bytes = try? FileBytes.contents(of: path, limit: ImageLimits.maxFileBytes),
      let format = ImageFileFormat(beginningOf: bytes)
    else { throw .notFound("picture") }
    return HTTPResponse(type: ContentType(format).value, body: bytes)
  }
}

/// What came of an evaluation, with the places of this machine taken out.
struct RedactedReport {
  private let job: EvaluationJob
  private let result: EvaluationResult
  private let program: String

  /// The report of an evaluation that has one.
  init?(_ job: EvaluationJob, program: String) {
    guard let result = job.progress.result else { return nil }
    (self.job, self.result, self.program) = (job, result, program)
  }

  /// As scripts read it.
  var json: [UInt8] { report(includingImageNames: true).json }

  /// The figures as a table.
  var csv: [UInt8] { report(includingImageNames: true).metricsCSV }

  /// A page that needs nothing besides itself.
  var html: [UInt8] {
    let cards = [job.model: job.bundle.modelCard].compactMapValues(\.self)
    return ReportPage(report(includingImageNames: false), cards: cards).html
  }

  /// Where the picture lies of one of the answers that are told of.
  func imagePath(of name: String) -> String? {
    (result.samples.worst + result.samples.best).first { $0.name == name }?.imagePath
  }

  private func report(includingImageNames: Bool) -> EvaluationReport {
    var told = result
    told.model.path = job.model
    told.data = job.source.title
    told.failedItems = result.failedItems.map { error in
      var error = error
      (error.name, error.message) = (job.redactor.redact(error.name), job.redactor.redact(error.message))
      return error
    }
    if includingImageNames {
      told.samples = SamplePredictions(
        worst: result.samples.worst.map(redacted), best: result.samples.best.map(redacted))
    }
    return EvaluationReport(
      [told], command: "tensorio studio", date: Platform.timestamp, toolVersion: program)
  }

  /// The answer with its picture called as the data calls it.
  private func redacted(_ answer: SamplePrediction) -> SamplePrediction {
    var answer = answer
    answer.imagePath = answer.imagePath.map(job.redactor.redact)
    return answer
  }
}
