internal import TensorIOCore
internal import TensorIOServer

extension Route {
  /// A route of the studio, whose answers say what browsers may do with them.
  static func studio(
    _ method: HTTPMethod, _ path: String, _ lane: Lane = .queued,
    bodyLimit: Int = ServerLimits.bodyBytes,
    _ answer: @escaping @Sendable (HTTPRequest) throws(StudioRefusal) -> HTTPResponse
  ) -> Route {
    Route(method, "/studio/api" + path, lane, bodyLimit: bodyLimit) { request in
      do throws(StudioRefusal) {
        return BrowserGuard.guarded(try answer(request))
      } catch {
        return BrowserGuard.guarded(error.response)
      }
    }
  }
}

extension HTTPRequest {
  /// What stands at an open place of the path.
  func word(_ name: String) -> String { parameters[name] ?? "" }

  /// The body as the JSON object that it must be.
  func object() throws(StudioRefusal) -> JSONNode {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONDocument(parsing: body).root
    } catch {
      throw .misunderstood("the body is no JSON: \(error)")
    }
    guard root.members != nil else { throw .misunderstood("the body is no JSON object") }
    return root
  }
}

extension HTTPResponse {
  /// That something was done, and there is nothing to tell of it.
  static var done: HTTPResponse {
    var response = HTTPResponse(.noContent, type: "", body: [])
    response.headers["Content-Type"] = nil
    return response
  }
}

extension JSONWriter {
  /// Writes a member that may be `null`.
  mutating func member(_ name: String, orNull text: String?) {
    key(name)
    if let text { value(text) } else { null() }
  }

  /// Writes a member that may be `null`.
  mutating func member(_ name: String, orNull number: Double?) {
    key(name)
    if let number { value(number) } else { null() }
  }
}
