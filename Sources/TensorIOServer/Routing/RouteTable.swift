/// Who answers what.
package struct RouteTable: Sendable {
  package private(set) var routes: [Route]

  /// A table in which the first route that fits is taken.
  package init(_ routes: [Route]) { self.routes = routes }

  /// What becomes of a request.
  package enum Finding: Sendable {
    case route(Route)
    /// Nobody answers it.
    case refusal(HTTPResponse)
  }

  /// The route for a request, known from its first line alone; a HEAD is a GET without its body.
  package func find(_ method: HTTPMethod, _ target: RequestTarget) -> Finding {
    let fitting = routes.filter { $0.matches(target.path) }
    guard !fitting.isEmpty else {
      return .refusal(.failure(.notFound, "not-found", "there is nothing at this address"))
    }
    let wanted = method == .head ? .get : method
    if let route = fitting.first(where: { $0.method == wanted }) { return .route(route) }
    return .refusal(refusal(of: method, fitting))
  }

  /// Answers a request in the calling thread.
  package func answer(_ request: HTTPRequest) -> HTTPResponse {
    switch find(request.method, request.target) {
    case .route(let route): route.answer(request)
    case .refusal(let response): response
    }
  }

  private func refusal(of method: HTTPMethod, _ routes: [Route]) -> HTTPResponse {
    var allowed = routes.map(\.method.rawValue)
    if allowed.contains("GET") { allowed.append("HEAD") }
    var response = HTTPResponse.failure(
      .methodNotAllowed, "method-not-allowed", "\(method.rawValue) is not answered here")
    response.headers["Allow"] = allowed.joined(separator: ", ")
    return response
  }
}
