internal import TensorIOServer

/// What browsers are told so that nothing on a page is run or fetched that is not its own.
enum BrowserGuard {
  /// The page's own scripts, styles and pictures, and nothing else.
  static let pagePolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
    "media-src 'self' blob:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
    "frame-ancestors 'none'",
  ].joined(separator: "; ")

  /// A report's own styles and the pictures that stand in it.
  static let reportPolicy = [
    "default-src 'none'", "img-src data:", "style-src 'unsafe-inline'", "base-uri 'none'",
    "form-action 'none'", "frame-ancestors 'none'", "sandbox",
  ].joined(separator: "; ")

  /// The same answer with all that browsers are to be told; a policy of its own stays.
  static func guarded(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    let policy = response.headers[policyName] ?? pagePolicy
    response.headers[policyName] = policy
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    response.headers["Cache-Control"] = response.headers["Cache-Control"] ?? "no-cache"
    return response
  }

  static let policyName = "Content-Security-Policy"
}
