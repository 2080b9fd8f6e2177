import TensorIOJSON
import TensorIOServer
import TensorIOSystem

extension Route {
  /// A route of the studio, whose answers say what browsers may do with them.
  static func studio(
    _ method: HTTPMethod, _ path: String, _ lane: Execution = .queued,
    maxBodyBytes: Int = HTTPLimits.maxBodyBytes,
    _ answer: @escaping @Sendable (HTTPRequest) throws(StudioError) -> HTTPResponse
  ) -> Route {
    Route(method, "/studio/api" + path, lane, maxBodyBytes: maxBodyBytes) { request in
      do throws(StudioError) {
        return SecurityHeaders.apply(to: try answer(request))
      } catch {
        return SecurityHeaders.apply(to: error.response)
      }
    }
  }
}

extension HTTPRequest {
  /// What stands at an open place of the path.
  func pathParameter(_ name: String) -> String { pathParameters[name] ?? "" }

  /// The body as the JSON object that it must be.
  func jsonObject() throws(StudioError) -> JSONNode {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONDocument(parsing: body).root
    } catch {
      throw .badRequest("the body is no JSON: \(error)")
    }
    guard root.members != nil else { throw .badRequest("the body is no JSON object") }
    return root
  }
}

extension HTTPResponse {
  /// That something was done, and there is nothing to tell of it.
  static var noContent: HTTPResponse {
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

/// Addresses within the studio.
enum PercentEncoding {
  /// A word as it stands in an address.
  static func encode(_ word: String) -> String {
    word.utf8.map { byte in
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

/// What browsers are told so that nothing on a page is run or fetched that is not its own.
enum SecurityHeaders {
  /// The page's own scripts, styles and pictures, and nothing else.
  static let pageContentSecurityPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
    "media-src 'self' blob:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
    "frame-ancestors 'none'",
  ].joined(separator: "; ")

  /// A report's own styles and the pictures that stand in it.
  static let reportContentSecurityPolicy = [
    "default-src 'none'", "img-src data:", "style-src 'unsafe-inline'", "base-uri 'none'",
    "form-action 'none'", "frame-ancestors 'none'", "sandbox",
  ].joined(separator: "; ")

  /// The same answer with all that browsers are to be told; a policy of its own stays.
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
