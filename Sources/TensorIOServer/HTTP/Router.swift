/// Who answers what.
package struct Router: Sendable {
  package private(set) var routes: [Route]

  /// A table in which the first route that fits is taken.
  package init(_ routes: [Route]) { self.routes = routes }

  /// What becomes of a request.
  package enum Match: Sendable {
    case route(Route)
    /// Nobody answers it.
    case rejection(HTTPResponse)
  }

  /// The route for a request, known from its first line alone; a HEAD is a GET without its body.
  package func match(_ method: HTTPMethod, _ target: RequestTarget) -> Match {
    let fitting = routes.filter { $0.matches(target.pathSegments) }
    guard !fitting.isEmpty else {
      return .rejection(.error(.notFound, "not-found", "there is nothing at this address"))
    }
    let wanted = method == .head ? .get : method
    if let route = fitting.first(where: { $0.method == wanted }) { return .route(route) }
    return .rejection(methodNotAllowed( method, fitting))
  }

  /// Answers a request in the calling thread.
  package func respond(to request: HTTPRequest) -> HTTPResponse {
    switch match(request.method, request.target) {
    case .route(let route): route.respond(to: request)
    case .rejection(let response): response
    }
  }

  private func methodNotAllowed(_ method: HTTPMethod, _ routes: [Route]) -> HTTPResponse {
    var allowed = routes.map(\.method.rawValue)
    if allowed.contains("GET") { allowed.append("HEAD") }
    var response = HTTPResponse.error(
      .methodNotAllowed, "method-not-allowed", "\(method.rawValue) is not answered here")
    response.headers["Allow"] = allowed.joined(separator: ", ")
    return response
  }
}

/// A line of the table that says who answers what.
package struct Route: Sendable {
  /// Where a request is answered.
  package enum Execution: Sendable {
    /// At once, in the thread that reads: for what takes microseconds and has to work under load.
    case inline
    /// By a worker, when its turn comes; refused when too many wait.
    case queued
  }

  package typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse

  package let method: HTTPMethod
  /// The path as it was given.
  package let pathPattern: String
  /// The words of the path; one that begins with a colon stands for any, and gives it a name.
  let segments: [Substring]
  package let execution: Execution
  /// The most bytes that a body may have; that of a JSON body is smaller.
  package let maxBodyBytes: Int
  let handler: Handler

  /// A route such as `.post, "/v2/models/:name/predict"`.
  package init(
    _ method: HTTPMethod, _ path: String, _ lane: Execution = .queued,
    maxBodyBytes: Int = HTTPLimits.maxBodyBytes, _ handler: @escaping Handler
  ) {
    self.method = method
    pathPattern = path
    segments = path.split(separator: "/")
    (self.execution, self.maxBodyBytes, self.handler) = (lane, maxBodyBytes, handler)
  }

  /// Answers a request that this route was found for.
  package func respond(to request: HTTPRequest) -> HTTPResponse {
    var request = request
    request.pathParameters = parameters(of: request.target.pathSegments)
    return handler(request)
  }

  func matches(_ path: [String]) -> Bool {
    segments.count == path.count
      && zip(segments, path).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
  }

  private func parameters(of path: [String]) -> [String: String] {
    Dictionary(
      zip(segments, path).filter { $0.0.hasPrefix(":") }.map { (String($0.dropFirst()), $1) },
      uniquingKeysWith: { first, _ in first })
  }
}
