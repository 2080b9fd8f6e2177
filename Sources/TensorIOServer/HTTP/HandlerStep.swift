/// The result of one step of a request's handler.
///
/// A handler that works in steps lets other requests run in between, and stops between two steps
/// when its client is gone.
package enum HandlerStep: Sendable {
  /// The handler is done.
  case response(HTTPResponse)
  /// The handler has more to do.
  case more(HandlerContinuation)

  /// The response, after all remaining steps ran on the calling thread.
  package var finalResponse: HTTPResponse {
    var step = self
    while true {
      switch step {
      case .response(let response): return response
      case .more(let continuation): step = continuation.resume()
      }
    }
  }
}

/// The remaining steps of a handler.
package struct HandlerContinuation: Sendable {
  /// Whether the steps take long, so that they yield to those of other requests.
  package let isBackground: Bool
  /// Runs the next step.
  package let resume: @Sendable () -> HandlerStep

  /// Creates a continuation.
  package init(isBackground: Bool, _ resume: @escaping @Sendable () -> HandlerStep) {
    (self.isBackground, self.resume) = (isBackground, resume)
  }
}
