/// A request of which everything has arrived, and which is framed without any doubt.
package struct HTTPRequest: Sendable {
  /// By what the request is known in the log and in its answer.
  package var id: String
  package var method: HTTPMethod
  package var target: RequestTarget
  package var headers: HTTPHeaders
  /// The body, whole and within the limit of its route.
  package var body: [UInt8]
  /// What the path's open places hold, by their names.
  package internal(set) var parameters: [String: String] = [:]

  /// A request.
  package init(
    id: String = "", _ method: HTTPMethod, _ target: RequestTarget, headers: HTTPHeaders = [:],
    body: [UInt8] = []
  ) {
    (self.id, self.method, self.target) = (id, method, target)
    (self.headers, self.body) = (headers, body)
  }
}

/// What a request wants to have done.
package struct HTTPMethod: Sendable, Hashable, RawRepresentable {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  package static let get = HTTPMethod(rawValue: "GET")
  package static let head = HTTPMethod(rawValue: "HEAD")
  package static let post = HTTPMethod(rawValue: "POST")
  package static let put = HTTPMethod(rawValue: "PUT")
  package static let delete = HTTPMethod(rawValue: "DELETE")
}
