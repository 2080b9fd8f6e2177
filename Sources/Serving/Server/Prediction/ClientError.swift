import TensorIOAudio
package import TensorIOBundle
import TensorIOImage

/// An error as a client receives it, without paths or other details of the server.
///
/// Only messages about the client's own values are passed on. Everything else, which may name
/// files, libraries or functions, is replaced by a summary; the code identifies the error.
package struct ClientError: Error, Equatable {
  package let status: HTTPStatus
  package let code: String
  package let message: String
  /// The number of seconds after which a retry makes sense, for a status of 429 or 503.
  private var retryAfterSeconds = HTTPResponse.defaultRetryAfter
  /// The reason of a failure of the server, for the log.
  private var reason: String?

  init(_ status: HTTPStatus, _ code: String, _ message: String, reason: String? = nil) {
    (self.status, self.code, self.message) = (status, code, message)
    self.reason = reason
  }

  /// Creates the client's view of a model error.
  package init(_ error: ModelError) {
    self.init(Self.status(of: error), Self.code(of: error), Self.message(of: error))
    if case .suspended(_, let seconds) = error.reason { retryAfterSeconds = seconds }
    if status.code >= HTTPStatus.internalServerError.code { reason = "\(error)" }
  }

  /// The result could not be drawn or encoded as an image.
  static let renderingFailed = ClientError(
    .internalServerError, "rendering-failed", "the result could not be drawn")

  /// The response to the request.
  var response: HTTPResponse {
    var response = HTTPResponse.error(status, code, message)
    if status == .serviceUnavailable || status == .tooManyRequests {
      response.headers["Retry-After"] = "\(retryAfterSeconds)"
    }
    response.setReason(reason)
    return response
  }
}

// MARK: Statuses

extension ClientError {
  private static func status(of error: ModelError) -> HTTPStatus {
    switch error.reason {
    case .unknownBundle: return .notFound
    case .timedOut, .runTimedOut, .cancelled, .runtimeMissing, .workerMissing, .workerNotLaunched,
      .sandboxUnavailable, .workerCrashed, .suspended, .bundleChanged:
      return .serviceUnavailable
    case .image(let error) where error.isServerSide: return .internalServerError
    case .image(let error) where error.isTooLarge: return .contentTooLarge
    default: return error.stage == .input ? .unprocessableContent : .internalServerError
    }
  }

  private static func code(of error: ModelError) -> String {
    if case .unknownBundle = error.reason { "unknown-model" } else { error.code }
  }
}

// MARK: Messages

extension ClientError {
  private static func message(of error: ModelError) -> String {
    if let summary = summary(for: error.reason) { return summary }
    guard error.stage == .input, let message = inputMessage(for: error.reason) else {
      return summary(for: error.stage)
    }
    return error.layer.map { "input '\($0)': \(message)" } ?? message
  }

  /// Returns the message for errors that do not depend on the client's values.
  private static func summary(for reason: ModelError.Reason) -> String? {
    switch reason {
    case .unknownBundle: "unknown model"
    case .timedOut: "the model was busy for too long"
    case .runTimedOut: "the model exceeded the time limit of a run"
    case .workerCrashed: "the model's worker process crashed or timed out; try again"
    case .bundleChanged: "the model is being replaced; try again"
    case .runtimeMissing(let missing):
      "the \(missing.backend) runtime is not installed; see the server log"
    case .suspended: "the model is temporarily suspended after repeated crashes"
    default: nil
    }
  }

  /// Returns the message about the client's own values; `nil` if it could reveal something else.
  private static func inputMessage(for reason: ModelError.Reason) -> String? {
    switch reason {
    case .inputNames, .inputCount, .unknownPlaceholder, .labelOutOfRange, .wrongCount,
      .wrongByteCount, .wrongShape, .wrongType, .outOfRange, .invalidJSON:
      return ModelError(.input, reason).message
    case .image(let error) where !error.isServerSide: return ImageError(error.reason).description
    case .audio(let error): return AudioError(error.reason).description
    default: return nil
    }
  }

  private static func summary(for stage: ModelError.Stage) -> String {
    switch stage {
    case .bundle: "the model's bundle is invalid; see the server log"
    case .runtime: "the model could not be loaded; see the server log"
    case .input: "an input could not be read"
    case .run, .output: "the model failed"
    }
  }
}

extension ImageError {
  /// Whether the cause is the server rather than the image.
  fileprivate var isServerSide: Bool {
    switch reason {
    case .libraryMissing, .unreadable, .unwritable: true
    default: false
    }
  }

  /// Whether the image has too many pixels.
  fileprivate var isTooLarge: Bool {
    if case .tooLarge = reason { true } else { false }
  }
}
