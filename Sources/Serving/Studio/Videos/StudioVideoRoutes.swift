import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOServer
import TensorIOSystem
import TensorIOTasks

/// The routes that run a model on a video file.
struct StudioVideoRoutes: Sendable {
  let studio: Studio

  /// The maximum size of a part of a file.
  private static let maxPartBytes = 8 << 20

  var routes: [Route] {
    [
      .studio(.post, "/videos") { (request) throws(ClientError) in try create(request) },
      .studio(.post, "/videos/:id/data", maxBodyBytes: Self.maxPartBytes) {
        (request) throws(ClientError) in try append(request)
      },
      .studio(.post, "/videos/:id/start") { (request) throws(ClientError) in try start(request) },
      .studio(.get, "/videos/:id", .control) { (request) throws(ClientError) in
        response(.ok, try video(request))
      },
      .studio(.delete, "/videos/:id", .control) { (request) throws(ClientError) in
        studio.videos.remove(try video(request))
        return .noContent
      },
      .studio(.get, "/videos/:id/lines", .control) { (request) throws(ClientError) in
        HTTPResponse(type: "application/x-ndjson", body: try contents(.lines, request))
      },
      .studio(.get, "/videos/:id/frames/:number", .control) { (request) throws(ClientError) in
        HTTPResponse(type: "application/json", body: try contents(.record, request))
      },
      .studio(.get, "/videos/:id/frames/:number/image", .control) {
        (request) throws(ClientError) in
        HTTPResponse(type: ContentType(.jpeg).value, body: try contents(.image, request))
      },
    ]
  }

  private func video(_ request: HTTPRequest) throws(ClientError) -> StudioVideo {
    try studio.videos.video(request.pathParameter("id"))
  }

  private func response(_ status: HTTPStatus, _ video: StudioVideo) -> HTTPResponse {
    .jsonObject(status) { writer in
      writer.member("id", video.id)
      writer.member("model", video.modelName)
      writer.member("tracks", video.canTrack)
      writer.member("received", video.byteCount)
      if let pass = video.pass {
        pass.writeMembers(to: &writer)
      } else {
        writer.member("state", "uploading")
      }
    }
  }

  // MARK: Uploading

  private func create(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    guard let name = try request.jsonObject()["model"]?.string else {
      throw .badRequest("'model' must be the name of a model")
    }
    let entry = try studio.entry(named: name)
    let (served, canTrack): (ServedModel, Bool)
    do throws(ModelError) {
      served = try studio.catalog.model(named: entry.name)
      canTrack = try TaskPostprocessor(served.model, ResultOptions()).canTrack
    } catch {
      throw ClientError(error, entry.redactor)
    }
    return response(.created, try studio.videos.create(for: served, canTrack: canTrack))
  }

  private func append(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let video = try video(request)
    guard let offset = request.target["offset"].flatMap({ Int($0) }), !request.body.isEmpty else {
      throw .badRequest("'offset' must be the position of the body in the file")
    }
    try video.append(request.body, at: offset)
    return .noContent
  }

  // MARK: Running

  private func start(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let (video, body) = (try video(request), try request.jsonObject())
    var options = ResultOptions()
    options.minimumScore = body["min_score"]?.double.map(Float.init)
    options.top = body["top"]?.int.flatMap { Int(exactly: $0) }
    guard options.top.map({ $0 > 0 }) ?? true else {
      throw .badRequest("'top' must be a positive number")
    }
    if body["tracking"]?.bool == true {
      guard video.canTrack else {
        throw ClientError(
          .unprocessableContent, "unsupported", "the model finds no objects that can be followed")
      }
      options.tracking = TrackingRequest(isClassAgnostic: body["class_agnostic"]?.bool == true)
    }
    try studio.videos.start(video, options)
    return response(.accepted, video)
  }

  // MARK: Frames

  /// What is stored of frames.
  private enum Part {
    case image, record
    /// The lines of all frames.
    case lines
  }

  /// Returns what the latest pass has stored.
  private func contents(_ part: Part, _ request: HTTPRequest) throws(ClientError) -> [UInt8] {
    guard let frames = try video(request).pass?.frames else { throw .notFound("frame") }
    let index = Int(request.pathParameter("number")) ?? -1
    let bytes: [UInt8]?
    do throws(FileError) {
      bytes =
        switch part {
        case .image: try frames.image(at: index)
        case .record: try frames.record(at: index)
        case .lines: try frames.lines()
        }
    } catch {
      throw .videoNotStored(error)
    }
    guard let bytes else { throw .notFound("frame") }
    return bytes
  }
}
