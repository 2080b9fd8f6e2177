import TensorIOBundle
import TensorIOData
import TensorIODrawing
import TensorIOEvaluation
import TensorIOImage
import TensorIOJSON
import TensorIOServer
import TensorIOSystem

/// The routes for creating, running and reporting evaluations.
struct StudioEvaluationRoutes: Sendable {
  let studio: Studio

  var routes: [Route] {
    [
      .studio(.post, "/evaluations") { (request) throws(ClientError) in try create(request) },
      .studio(.post, "/evaluations/:id/items", maxBodyBytes: ImageLimits.maxFileBytes) {
        (request) throws(ClientError) in try addImage(request)
      },
      .studio(
        .post, "/evaluations/:id/annotations", maxBodyBytes: DetectionDataset.maxAnnotationBytes
      ) {
        (request) throws(ClientError) in try addAnnotations(request)
      },
      .studio(.post, "/evaluations/:id/start") { (request) throws(ClientError) in
        try start(request)
      },
      .studio(.get, "/evaluations/:id") { (request) throws(ClientError) in
        response(.ok, try job(request))
      },
      .studio(.delete, "/evaluations/:id") { (request) throws(ClientError) in
        let job = try job(request)
        job.cancel()
        return response(.ok, job)
      },
      .studio(.get, "/evaluations/:id/image") { (request) throws(ClientError) in
        try image(request)
      },
      .studio(.get, "/evaluations/:id/report.json") { (request) throws(ClientError) in
        HTTPResponse(
          type: ContentType(fileName: "report.json").value, body: try report(request).json)
      },
      .studio(.get, "/evaluations/:id/report.csv") { (request) throws(ClientError) in
        HTTPResponse(type: ContentType(fileName: "report.csv").value, body: try report(request).csv)
      },
      .studio(.get, "/evaluations/:id/report.html") { (request) throws(ClientError) in
        var page = HTTPResponse(
          type: ContentType(fileName: "report.html").value, body: try report(request).html)
        page.headers[SecurityHeaders.contentSecurityPolicy] =
          SecurityHeaders.reportContentSecurityPolicy
        return page
      },
    ]
  }

  private func job(_ request: HTTPRequest) throws(ClientError) -> EvaluationJob {
    try studio.jobs.job(request.pathParameter("id"))
  }

  private func response(_ status: HTTPStatus, _ job: EvaluationJob) -> HTTPResponse {
    .json(status) { writer in
      writer.object { job.writeMembers(to: &$0, program: studio.version) }
    }
  }
}

// MARK: Creating

extension StudioEvaluationRoutes {
  private func create(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let object = try request.jsonObject()
    guard let name = object["model"]?.string else {
      throw .badRequest("'model' must be the name of a model")
    }
    let dataset = try dataset(object["dataset"])
    let decision = try EvaluationDecision(
      gates: gates(object["gates"]), baseline: baseline(object["baseline"]))
    let job = try studio.jobs.create(studio.entry(named: name), dataset, decision)
    guard dataset != nil else { return response(.created, job) }
    do throws(ClientError) {
      try start(job)
    } catch {
      studio.jobs.remove(job)
      throw error
    }
    return response(.created, job)
  }

  private func dataset(_ node: JSONNode?) throws(ClientError) -> PreconfiguredDataset? {
    guard let node, node.kind != .null else { return nil }
    guard let name = node.string else {
      throw .badRequest("'dataset' must be the name of a dataset, or null")
    }
    guard let dataset = studio.datasets.first(where: { $0.name == name }) else {
      throw .notFound("dataset")
    }
    return dataset
  }

  private func gates(_ node: JSONNode?) throws(ClientError) -> [Gate] {
    guard let node, node.kind != .null else { return [] }
    guard let elements = node.elements else {
      throw .badRequest("'gates' must be an array of conditions, such as \"top1>=97%\"")
    }
    var gates: [Gate] = []
    for element in elements {
      guard let text = element.string else { throw .badRequest("a gate must be a string") }
      do throws(ModelError) {
        gates.append(try Gate(text))
      } catch {
        throw .badRequest(error.message)
      }
    }
    return gates
  }

  private func baseline(_ node: JSONNode?) throws(ClientError) -> EvaluationJob? {
    guard let node, node.kind != .null else { return nil }
    guard let id = node.string else {
      throw .badRequest("'baseline' must be the identifier of an evaluation, or null")
    }
    let job = try studio.jobs.job(id)
    guard job.progress.result != nil else {
      throw ClientError(.conflict, "report-not-ready", "the baseline has no result")
    }
    return job
  }

  private func start(_ job: EvaluationJob) throws(ClientError) {
    try studio.jobs.start(job, threads: studio.settings.current.threads)
  }
}

// MARK: Uploading images

extension StudioEvaluationRoutes {
  private func addImage(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let images = try pendingUpload(of: job(request))
    guard let path = request.target["path"].flatMap(UploadPath.init) else {
      throw .badRequest("'path' must be a label and a file name, such as cat/7.jpg")
    }
    try studio.limits.checkPixels(ImageDecodingCost(of: request.body))
    try images.add(path, request.body)
    return .noContent
  }

  private func addAnnotations(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let job = try job(request)
    let images = try pendingUpload(of: job)
    guard let file = request.target["name"].flatMap(AnnotationFile.init), !request.body.isEmpty
    else {
      let names = AnnotationFile.allCases.map(\.rawValue).joined(separator: " or ")
      throw .badRequest("'name' must be \(names), and the body its text")
    }
    let paths = try file.imagePaths(in: request.body, for: job.bundle)
    try images.add(file, request.body, imagePaths: paths)
    return .noContent
  }

  private func start(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let job = try job(request)
    let images = try pendingUpload(of: job)
    guard !images.isEmpty else {
      throw ClientError(.conflict, "no-images", "no images have been uploaded")
    }
    if let name = images.missingImage {
      throw ClientError(.conflict, "missing-image", "'\(name)' has not been uploaded")
    }
    try start(job)
    return response(.accepted, job)
  }

  /// Returns the images of an evaluation that has not started.
  private func pendingUpload(of job: EvaluationJob) throws(ClientError) -> UploadedImages {
    guard case .uploaded(let images) = job.source, job.progress.state == .uploading else {
      throw ClientError(.conflict, "already-started", "the evaluation has already started")
    }
    return images
  }
}

// MARK: Reports

extension StudioEvaluationRoutes {
  private func report(_ request: HTTPRequest) throws(ClientError) -> RedactedReport {
    guard let report = RedactedReport(try job(request), program: studio.version) else {
      throw ClientError(.conflict, "report-not-ready", "no items have been evaluated")
    }
    return report
  }

  /// Returns the image of one of the report's samples.
  private func image(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    guard let name = request.target["name"], let path = try report(request).imagePath(of: name),
      let bytes = try? FileBytes.contents(of: path, limit: ImageLimits.maxFileBytes),
      let format = ImageFileFormat(beginningOf: bytes)
    else { throw .notFound("image") }
    return HTTPResponse(type: ContentType(format).value, body: bytes)
  }
}

/// The report of an evaluation, with paths redacted.
struct RedactedReport {
  private let job: EvaluationJob
  private let result: EvaluationResult
  private let program: String

  /// Creates the report; `nil` if the evaluation has no result.
  init?(_ job: EvaluationJob, program: String) {
    guard let result = job.progress.result else { return nil }
    (self.job, self.result, self.program) = (job, result, program)
  }

  /// The report as JSON.
  var json: [UInt8] { report(includingImageNames: true).json }

  /// The single result of the report, as in its JSON.
  var resultJSON: JSONNode? {
    (try? JSONDocument(parsing: json, limits: JSONLimits(bytes: JSONLimits.maxBytes)))?.root[0]
  }

  /// The charts of the result as markup.
  var charts: [Markup] { result.charts.map { SVGChartRenderer($0).figure } }

  /// The metrics as CSV.
  var csv: [UInt8] { report(includingImageNames: true).metricsCSV }

  /// The report as a self-contained HTML page.
  var html: [UInt8] {
    let cards = [job.model: job.bundle.modelCard].compactMapValues(\.self)
    return ReportPage(report(includingImageNames: false), cards: cards).html
  }

  /// Returns the path of a sample's image.
  func imagePath(of name: String) -> String? {
    (result.samples.worst + result.samples.best).first { $0.name == name }?.imagePath
  }

  private func report(includingImageNames: Bool) -> EvaluationReport {
    var redactedResult = result
    redactedResult.model.path = job.model
    redactedResult.data = job.source.title
    redactedResult.failedItems = result.failedItems.map { error in
      var error = error
      error.name = job.redactor.redact(error.name)
      error.message = job.redactor.redact(error.message)
      return error
    }
    if includingImageNames {
      redactedResult.samples = SamplePredictions(
        worst: result.samples.worst.map(redacted), best: result.samples.best.map(redacted))
    }
    return EvaluationReport(
      [redactedResult], command: "tensorio studio", date: Platform.timestamp,
      toolVersion: program
    ).withoutItems
  }

  /// Returns the sample with its image named relative to the dataset.
  private func redacted(_ sample: SamplePrediction) -> SamplePrediction {
    var sample = sample
    sample.imagePath = sample.imagePath.map(job.redactor.redact)
    return sample
  }
}
