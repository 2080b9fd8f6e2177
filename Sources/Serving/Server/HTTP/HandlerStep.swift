import Dispatch
import Synchronization

/// The result of one step of a request's handler.
///
/// A handler that works in steps lets other requests run in between, and stops between two steps
/// when its client is gone.
package enum HandlerStep: Sendable {
  /// The handler is done.
  case response(HTTPResponse)
  /// The handler has more to do.
  case more(HandlerContinuation)
  /// The handler needs the output of a model; the run may be merged with those of other requests.
  case run(ModelRun)
  /// The handler waits for something else, such as a model that is being opened.
  case pending(PendingStep)

  /// The response, after all remaining steps ran on the calling thread.
  package var finalResponse: HTTPResponse {
    var step = self
    while true {
      switch step {
      case .response(let response): return response
      case .more(let continuation): step = continuation.resume()
      case .run(let run): step = run.completedStep()
      case .pending(let pending): step = pending.wait()
      }
    }
  }
}

extension HandlerStep {
  /// Returns the step with a change of the final response.
  func mapResponse(_ change: @escaping @Sendable (HTTPResponse) -> HTTPResponse) -> HandlerStep {
    switch self {
    case .response(let response): .response(change(response))
    case .more(let continuation):
      .more(
        HandlerContinuation(isBackground: continuation.isBackground) {
          continuation.resume().mapResponse(change)
        })
    case .run(let run):
      .run(ModelRun(run.served, run.input) { run.complete($0).mapResponse(change) })
    case .pending(let pending):
      .pending(
        PendingStep { resume in
          pending.begin { next in resume { next().mapResponse(change) } }
        })
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

/// A wait that holds memory, not a thread.
package struct PendingStep: Sendable {
  /// Runs the step that follows the wait.
  package typealias Resume = @Sendable (@escaping @Sendable () -> HandlerStep) -> Void

  /// Starts to wait, and calls its argument once, from any thread, when the handler can go on.
  package let begin: @Sendable (@escaping Resume) -> Void

  /// Creates a wait.
  package init(_ begin: @escaping @Sendable (@escaping Resume) -> Void) { self.begin = begin }

  /// Blocks the calling thread until the wait is over, and returns the next step.
  func wait() -> HandlerStep {
    let done = DispatchSemaphore(value: 0)
    let next = Mutex<(@Sendable () -> HandlerStep)?>(nil)
    begin { step in
      next.withLock { $0 = step }
      done.signal()
    }
    done.wait()
    guard let step = next.withLock({ $0 }) else {
      preconditionFailure("a pending step resumed without a next step")
    }
    return step()
  }
}
