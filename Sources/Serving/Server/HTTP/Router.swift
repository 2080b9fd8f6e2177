/// Finds the route for a request.
package struct Router: Sendable {
  package private(set) var routes: [Route]

  /// Creates a router.
  ///
  /// The first matching route wins.
  package init(_ routes: [Route]) { self.routes = routes }

  /// The result of a lookup.
  package enum Match: Sendable {
    case route(Route)
    /// No route matches; the error response.
    case rejection(HTTPResponse)
  }

  /// Returns the route for a request line.
  ///
  /// HEAD matches routes for GET.
  package func match(_ method: HTTPMethod, _ target: RequestTarget) -> Match {
    let lookupMethod = method == .head ? .get : method
    // A route is large, and is copied only if it is the one.
    let index = routes.indices.first {
      routes[$0].method == lookupMethod && routes[$0].matches(target.pathSegments)
    }
    if let index { return .route(routes[index]) }
    let others = routes.filter { $0.matches(target.pathSegments) }
    guard !others.isEmpty else {
      return .rejection(.error(.notFound, "not-found", "no resource at this path"))
    }
    return .rejection(methodNotAllowed(method, others))
  }

  /// Handles a request on the calling thread.
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
      .methodNotAllowed, "method-not-allowed", "method \(method.rawValue) is not allowed here")
    response.headers["Allow"] = allowed.joined(separator: ", ")
    return response
  }
}

/// A method, a path pattern and the handler for them.
package struct Route: Sendable {
  /// The thread that runs the handler.
  package enum Execution: Sendable {
    /// The event loop's thread: for handlers that take microseconds and must work under load.
    case inline
    /// A worker thread; the request is rejected if the queue is full.
    case queued
    /// A thread that does not run models, for handlers that read files or open models and must not
    /// wait for runs.
    case control
  }

  package typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse
  /// A handler that may wait, and run models.
  package typealias AsyncHandler = @Sendable (HTTPRequest) async -> HTTPResponse

  package let method: HTTPMethod
  /// The path pattern, such as `/v2/models/:name`.
  package let pathPattern: String
  /// The segments of the pattern.
  let segments: [PathPatternSegment]
  package let execution: Execution
  /// The maximum size of a body in bytes.
  ///
  /// JSON bodies have a lower limit.
  package let maxBodyBytes: Int
  /// The maximum size of a JSON body in bytes.
  package var maxJSONBodyBytes = HTTPLimits.maxJSONBodyBytes
  /// Whether clients must send the server's token, if it has one.
  package var requiresToken = true
  /// The handler; `nil` if it may wait.
  private let handler: Handler?
  private let asyncHandler: AsyncHandler
  /// Returns the response to a request that is rejected before it enters the queue.
  ///
  /// Called on the event loop's thread.
  package var admission: (@Sendable (HTTPRequest) -> HTTPResponse?)?
  /// Changes the form of errors that the server responds with itself; `nil` for the usual form.
  package var errorForm: (@Sendable (HTTPResponse) -> HTTPResponse)?
  /// Called on the event loop's thread when the queue of a request is full.
  package var overload: (@Sendable (HTTPRequest) -> Void)?
  /// Returns the lane of a request if the path has no parameter for a model's name.
  package var laneName: (@Sendable (HTTPRequest) -> String)?

  /// Creates a route, for example for `.post, "/v2/models/:name/predict"`.
  package init(
    _ method: HTTPMethod, _ path: String, _ execution: Execution = .queued,
    maxBodyBytes: Int = HTTPLimits.maxBodyBytes, _ handler: @escaping Handler
  ) {
    self.init(method, path, execution, maxBodyBytes: maxBodyBytes, handler, handler)
  }

  /// Creates a route with a handler that may wait, which is not executed inline.
  package init(
    _ method: HTTPMethod, _ path: String, _ execution: Execution = .queued,
    maxBodyBytes: Int = HTTPLimits.maxBodyBytes, async handler: @escaping AsyncHandler
  ) {
    self.init(method, path, execution, maxBodyBytes: maxBodyBytes, nil, handler)
  }

  private init(
    _ method: HTTPMethod, _ path: String, _ execution: Execution, maxBodyBytes: Int,
    _ handler: Handler?, _ asyncHandler: @escaping AsyncHandler
  ) {
    self.method = method
    pathPattern = path
    segments = path.split(separator: "/").map { PathPatternSegment($0) }
    (self.execution, self.maxBodyBytes) = (execution, maxBodyBytes)
    (self.handler, self.asyncHandler) = (handler, asyncHandler)
  }

  /// Calls the handler with a request that matches this route, on the calling thread, which blocks if the handler waits.
  package func respond(to request: HTTPRequest) -> HTTPResponse {
    if let handler { return handler(withPathParameters(request)) }
    return CallingThread.wait { await handle(request) }
  }

  /// Calls the handler with a request that matches this route.
  func handle(_ request: HTTPRequest) async -> HTTPResponse {
    await asyncHandler(withPathParameters(request))
  }

  /// Returns the name of the queue for a request: that of its model, or empty.
  func lane(of request: HTTPRequest) -> String {
    if let laneName { return laneName(request) }
    return parameters(of: request)[Self.modelParameter] ?? ""
  }

  /// Returns the name of the model that a request is for; `nil` if there is none, or if only the
  /// decompressed message has it.
  func modelName(of request: HTTPRequest) -> String? {
    let lane = lane(of: request)
    return lane.isEmpty || lane.hasPrefix("\0") ? nil : lane
  }

  /// The path parameter that is the name of a model.
  static let modelParameter = "name"
  /// The path parameter that is the version of a model.
  static let versionParameter = "version"

  /// Returns the response to a request that must not enter the queue; `nil` if it may.
  func rejection(of request: HTTPRequest) -> HTTPResponse? {
    guard let admission else { return nil }
    return admission(withPathParameters(request))
  }

  /// Returns a request that matches this route with the values of the path parameters.
  package func withPathParameters(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.pathParameters = parameters(of: request)
    return request
  }

  func matches(_ path: [String]) -> Bool {
    segments.count == path.count && path.indices.allSatisfy { segments[$0].matches(path[$0]) }
  }

  private func parameters(of request: HTTPRequest) -> PathParameters {
    PathParameters(pattern: segments, path: request.target.pathSegments)
  }
}
