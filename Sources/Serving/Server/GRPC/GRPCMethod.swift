import TensorIOBundle

/// A method of a gRPC service.
package struct GRPCMethod: Sendable {
  /// How many messages a call has.
  enum Kind: Sendable {
    /// One request and one response.
    case unary
    /// Any number of requests, each of which has one response, in the order of the requests.
    ///
    /// `error` returns the response that carries an error to the client without ending the call.
    case exchange(error: @Sendable (_ message: String, _ request: [UInt8]) -> [UInt8])
    /// One request, and a response whenever the result changes.
    case watch
  }

  let name: String
  let kind: Kind
  /// The handler, whose requests have the bytes of a message as their body.
  let route: Route
  /// The target of all requests.
  let target: RequestTarget

  /// Handles a decompressed message.
  typealias Handler = @Sendable (GRPCRequest) async throws(ClientError) -> HTTPResponse

  /// Creates a method whose handler does not run inline, but in the lane of a model.
  ///
  /// - Parameters:
  ///   - service: The full name of the service.
  ///   - name: The name of the method.
  ///   - kind: How many messages a call has.
  ///   - execution: The thread that runs the handler.
  ///   - model: Returns the model that a message names, to find its lane; `nil` for the lane of
  ///     requests without a model.
  ///   - rejection: Returns the error of a request for a model that is not accepted at this time.
  ///   - overload: Called if the queue of a model is full.
  ///   - handler: Handles a message.
  init(
    _ service: String, _ name: String, _ kind: Kind = .unary,
    _ execution: Route.Execution = .queued,
    model: (@Sendable ([UInt8]) -> ModelSelector?)? = nil,
    rejection: (@Sendable (ModelSelector) -> ClientError?)? = nil,
    overload: (@Sendable (ModelSelector) -> Void)? = nil,
    _ handler: @escaping Handler
  ) {
    let path = "/\(service)/\(name)"
    var route = Route(
      .post, path, execution,
      async: { request in
        do throws(ClientError) {
          return try await handler(GRPCRequest(request))
        } catch {
          return error.response
        }
      })
    let selector = { @Sendable (request: HTTPRequest) in
      request.bodyCoding == nil ? model?(request.body) : nil
    }
    // The model of a compressed message is not known, so that these have a lane of their own.
    route.laneName = { request in
      request.bodyCoding.map { "\0\($0)" } ?? selector(request)?.name ?? ""
    }
    route.admission = { request in
      guard let selector = selector(request) else { return nil }
      return rejection?(selector)?.response
    }
    route.overload = { request in
      if let selector = selector(request) { overload?(selector) }
    }
    self.init(path, name, kind, route)
  }

  /// Creates a method whose handler runs on the event loop's thread.
  init(
    _ service: String, _ name: String, _ kind: Kind = .unary, requiresToken: Bool = true,
    inline handler: @escaping @Sendable (GRPCRequest) throws(ClientError) -> HTTPResponse
  ) {
    let path = "/\(service)/\(name)"
    var route = Route(.post, path, .inline) { request in
      do throws(ClientError) {
        return try handler(GRPCRequest(request, maxBytes: Self.maxInlineBytes))
      } catch {
        return error.response
      }
    }
    route.requiresToken = requiresToken
    self.init(path, name, kind, route)
  }

  private init(_ path: String, _ name: String, _ kind: Kind, _ route: Route) {
    (self.name, self.kind, self.route) = (name, kind, route)
    // A path of two names is always valid.
    target = RequestTarget(path) ?? .root
  }

  /// The maximum size of messages that the event loop's thread decompresses.
  private static let maxInlineBytes = 64 << 10
}

extension RequestTarget {
  /// The target `/`.
  fileprivate static let root = RequestTarget(pathSegments: [])
}

/// A request of a call, with its decompressed message.
struct GRPCRequest: Sendable {
  let message: [UInt8]
  let headers: HTTPHeaders
  let context: RequestContext

  /// Decompresses the body of a request.
  ///
  /// - Throws: A ``ClientError`` if it is invalid or too large.
  init(
    _ request: HTTPRequest, maxBytes: Int = StandardRoute.maxBodyBytes
  ) throws(ClientError) {
    (headers, context) = (request.headers, request.context)
    guard let name = request.bodyCoding else {
      message = request.body
      return
    }
    guard let coding = ContentCoding(rawValue: name) else {
      throw ClientError(
        .notImplemented, "unsupported-encoding",
        "unsupported grpc-encoding '\(name)'; expected identity, gzip or deflate")
    }
    message = try context.decompressed(request.body, coding, limit: maxBytes, "message")
  }
}

extension HTTPResponse {
  /// A response with a message in protobuf's format.
  static func message(_ bytes: [UInt8]) -> HTTPResponse {
    HTTPResponse(type: GRPCService.mediaType, body: bytes)
  }
}

/// A service: a name and its methods.
package struct GRPCService: Sendable {
  let name: String
  let methods: [GRPCMethod]

  /// The media type of requests and responses.
  static let mediaType = "application/grpc"
  /// The encodings of messages from clients.
  static let acceptedEncodings = "identity,gzip,deflate"
}

/// Finds the method of a call.
package struct GRPCRouter: Sendable {
  private let methods: [String: GRPCMethod]

  /// Creates a router for services.
  package init(_ services: [GRPCService]) {
    var methods: [String: GRPCMethod] = [:]
    for service in services {
      for method in service.methods { methods["/\(service.name)/\(method.name)"] = method }
    }
    self.methods = methods
  }

  /// Returns the method at a path; `nil` if there is none.
  func method(at path: String) -> GRPCMethod? { methods[path] }
}
