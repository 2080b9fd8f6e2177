import TensorIOJSON
import TensorIOServer
import TensorIOSystem

extension Route {
  /// Creates a route below `/studio/api` whose responses carry the security headers.
  static func studio(
    _ method: HTTPMethod, _ path: String, _ execution: Execution = .queued,
    maxBodyBytes: Int = HTTPLimits.maxBodyBytes,
    _ handler: @escaping @Sendable (HTTPRequest) throws(ClientError) -> HTTPResponse
  ) -> Route {
    Route(method, "/studio/api" + path, execution, maxBodyBytes: maxBodyBytes) { request in
      do throws(ClientError) {
        return SecurityHeaders.apply(to: try handler(request))
      } catch {
        return SecurityHeaders.apply(to: error.response)
      }
    }
  }
}

extension HTTPRequest {
  /// Returns the value of a path parameter.
  func pathParameter(_ name: String) -> String { pathParameters[name] ?? "" }

  /// Returns the body as a JSON object.
  func jsonObject() throws(ClientError) -> JSONNode {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONDocument(parsing: body).root
    } catch {
      throw .badRequest("the body is not valid JSON: \(error)")
    }
    guard root.members != nil else { throw .badRequest("the body must be a JSON object") }
    return root
  }
}

extension HTTPResponse {
  /// A response without a body.
  static var noContent: HTTPResponse {
    var response = HTTPResponse(.noContent, type: "", body: [])
    response.headers["Content-Type"] = nil
    return response
  }
}

extension JSONWriter {
  /// Writes a string, or `null`.
  mutating func member(_ name: String, orNull text: String?) {
    key(name)
    if let text { value(text) } else { null() }
  }

  /// Writes a number, or `null`.
  mutating func member(_ name: String, orNull number: Double?) {
    key(name)
    if let number { value(number) } else { null() }
  }
}

/// Percent-encoding of path segments.
enum PercentEncoding {
  /// Returns a path segment with reserved characters encoded.
  static func encode(_ segment: String) -> String {
    segment.utf8.map { byte in
      isUnreserved(byte)
        ? String(Unicode.Scalar(byte)) : "%" + byte.hexadecimal
    }.joined()
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }
}

/// The response headers that restrict what browsers load and execute.
enum SecurityHeaders {
  /// The policy of the page: only its own scripts, styles and images.
  static let pageContentSecurityPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
    "media-src 'self' blob:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
    "frame-ancestors 'none'",
  ].joined(separator: "; ")

  /// The policy of a report: only its inline styles and images.
  static let reportContentSecurityPolicy = [
    "default-src 'none'", "img-src data:", "style-src 'unsafe-inline'", "base-uri 'none'",
    "form-action 'none'", "frame-ancestors 'none'", "sandbox",
  ].joined(separator: "; ")

  /// Returns the response with all security headers.
  ///
  /// An existing policy is kept.
  static func apply(to response: HTTPResponse) -> HTTPResponse {
    var response = response
    let policy = response.headers[contentSecurityPolicy] ?? pageContentSecurityPolicy
    response.headers[contentSecurityPolicy] = policy
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    response.headers["Cache-Control"] = response.headers["Cache-Control"] ?? "no-cache"
    return response
  }

  static let contentSecurityPolicy = "Content-Security-Policy"
}
