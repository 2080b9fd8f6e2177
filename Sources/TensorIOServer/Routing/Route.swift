/// A line of the table that says who answers what.
package struct Route: Sendable {
  /// Where a request is answered.
  package enum Lane: Sendable {
    /// At once, in the thread that reads: for what takes microseconds and has to work under load.
    case immediate
    /// By a worker, when its turn comes; refused when too many wait.
    case queued
  }

  package typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse

  package let method: HTTPMethod
  /// The path as it was given.
  package let text: String
  /// The words of the path; one that begins with a colon stands for any, and gives it a name.
  let pattern: [Substring]
  package let lane: Lane
  /// The most bytes that a body may have; that of a JSON body is smaller.
  package let bodyLimit: Int
  let handler: Handler

  /// A route such as `.post, "/v2/models/:name/predict"`.
  package init(
    _ method: HTTPMethod, _ path: String, _ lane: Lane = .queued,
    bodyLimit: Int = ServerLimits.bodyBytes, _ handler: @escaping Handler
  ) {
    self.method = method
    text = path
    pattern = path.split(separator: "/")
    (self.lane, self.bodyLimit, self.handler) = (lane, bodyLimit, handler)
  }

  /// Answers a request that this route was found for.
  package func answer(_ request: HTTPRequest) -> HTTPResponse {
    var request = request
    request.parameters = parameters(of: request.target.path)
    return handler(request)
  }

  func matches(_ path: [String]) -> Bool {
    pattern.count == path.count
      && zip(pattern, path).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
  }

  private func parameters(of path: [String]) -> [String: String] {
    Dictionary(
      zip(pattern, path).filter { $0.0.hasPrefix(":") }.map { (String($0.dropFirst()), $1) },
      uniquingKeysWith: { first, _ in first })
  }
}
