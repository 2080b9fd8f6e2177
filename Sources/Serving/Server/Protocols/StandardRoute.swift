import TensorIOBundle
import TensorIOJSON

/// Creates routes of inference protocols, whose bodies may be compressed.
struct StandardRoute: Sendable {
  /// The maximum size of a decompressed body, in bytes.
  static let maxBodyBytes = HTTPLimits.maxBodyBytes

  /// Returns the body of an error.
  typealias ErrorResponse = @Sendable (ClientError) -> HTTPResponse

  private let errorResponse: ErrorResponse

  /// Creates routes with a form of errors.
  init(errors errorResponse: @escaping ErrorResponse = { $0.response }) {
    self.errorResponse = errorResponse
  }

  /// Creates a route with a handler that may wait.
  ///
  /// Only inference responses are compressed: some clients cannot read others that are.
  func callAsFunction(
    _ method: HTTPMethod, _ path: String, _ execution: Route.Execution = .queued,
    compressesResponse: Bool = false,
    _ handler: @escaping @Sendable (HTTPRequest) async throws(ClientError) -> HTTPResponse
  ) -> Route {
    var route = Route(
      method, path, execution, maxBodyBytes: Self.maxBodyBytes,
      async: { [errorResponse] request in
        let response: HTTPResponse
        do throws(ClientError) {
          try await request.waitToRead()
          var request = request
          try Self.decodeBody(of: &request)
          response = try await handler(request)
        } catch {
          response = errorResponse(error)
        }
        guard compressesResponse, let coding = Self.acceptedCoding(request.headers) else {
          return response
        }
        return Self.encoded(response, coding)
      })
    route.maxJSONBodyBytes = Self.maxBodyBytes
    return route
  }
}

// MARK: Bodies

extension StandardRoute {
  /// Returns the JSON object in a body, with positions of errors as offsets.
  static func object(
    _ body: [UInt8], _ context: RequestContext
  ) throws(ClientError) -> JSONNode {
    let root = try context.json(body, invalid: "JSON Parse error").root
    guard root.kind == .object else {
      throw ClientError(
        .badRequest, "invalid-json", "JSON Parse error: expected an object, found \(root.summary)")
    }
    return root
  }
}

// MARK: Compression

extension StandardRoute {
  private static func decodeBody(of request: inout HTTPRequest) throws(ClientError) {
    let names = request.contentCodings
    guard let name = names.first else { return }
    guard names.count == 1, let coding = ContentCoding(rawValue: name) else {
      throw ClientError(
        .notImplemented, "unsupported-encoding",
        "unsupported Content-Encoding '\(names.joined(separator: ", "))'; expected gzip or deflate")
    }
    request.body = try request.context.decompressed(
      request.body, coding, limit: maxBodyBytes, "body")
  }

  /// Returns the coding that the client prefers among the supported ones; `nil` for none.
  private static func acceptedCoding(_ headers: HTTPHeaders) -> ContentCoding? {
    var best: (coding: ContentCoding, quality: Double)?
    for item in headers.values(for: "Accept-Encoding").flatMap(\.commaSeparatedTokens) {
      let parts = item.split(separator: ";").map { Array($0.utf8)[...].trimmed.utf8Text }
      guard let name = parts.first, let coding = ContentCoding(rawValue: name.lowercased()) else {
        continue
      }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { $0.dropFirst(2) }
      let quality = weight.map { Double($0) ?? 0 } ?? 1
      if quality > 0, quality > best?.quality ?? 0 { best = (coding, quality) }
    }
    return best?.coding
  }

  private static func encoded(_ response: HTTPResponse, _ coding: ContentCoding) -> HTTPResponse {
    guard response.status.code == 200, !response.body.isEmpty,
      let body = coding.compress(response.body)
    else { return response }
    var response = response
    response.body = body
    response.headers["Content-Encoding"] = coding.rawValue
    response.headers["Vary"] = "Accept-Encoding"
    return response
  }
}
