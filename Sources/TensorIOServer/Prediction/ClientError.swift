package import TensorIOBundle
import TensorIOImage

/// What a client is told of an error: nothing that tells of the machine.
///
/// Only what an error says of the client's own values is passed on. All else, which may name files,
/// libraries or functions, becomes a sentence of its stage; the code says which.
package struct ClientError: Error, Equatable {
  package let status: HTTPStatus
  package let code: String
  package let message: String
  /// After how many seconds it is worth asking again, where another answer may come then.
  private var retryAfterSeconds = HTTPResponse.defaultRetryAfter

  init(_ status: HTTPStatus, _ code: String, _ message: String) {
    (self.status, self.code, self.message) = (status, code, message)
  }

  /// What is told of an error of the pipeline.
  package init(_ error: ModelError) {
    self.init(Self.status(of: error), Self.code(of: error), Self.message(of: error))
    if case .suspended(_, let seconds) = error.reason { retryAfterSeconds = seconds }
  }

  /// What is told where no answer could be drawn.
  static let renderingFailed = ClientError(.internalServerError, "undrawn", "the answer could not be drawn")

  /// The failure as the answer to the whole request.
  var response: HTTPResponse {
    status == .serviceUnavailable
      ? .unavailable(code, message, retryAfter: retryAfterSeconds) : .error(status, code, message)
  }
}

// MARK: Statuses

extension ClientError {
  private static func status(of error: ModelError) -> HTTPStatus {
    switch error.reason {
    case .unknownBundle: return .notFound
    case .timedOut, .cancelled, .runtimeMissing, .workerMissing, .sandboxUnavailable, .workerCrashed,
      .suspended:
      return .serviceUnavailable
    case .image(let error) where error.isServerSide: return .internalServerError
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
    if let sentence = summary(for: error.reason) { return sentence }
    guard error.stage == .input, let evidence = inputMessage(for: error.reason) else {
      return summary(for: error.stage)
    }
    return error.layer.map { "input '\($0)': \(evidence)" } ?? evidence
  }

  /// What is said of what has nothing to do with the values, in words that tell nothing else.
  private static func summary(for reason: ModelError.Reason) -> String? {
    switch reason {
    case .unknownBundle: "there is no model of that name"
    case .timedOut: "the model was busy for too long"
    case .workerCrashed:
      "the process that ran the model has ended or was too slow; there will be another"
    case .suspended: "the model has ended too many processes, and gets none for a while"
    default: nil
    }
  }

  /// What is said of the client's own values; `nil` where it could be about something else.
  private static func inputMessage(for reason: ModelError.Reason) -> String? {
    switch reason {
    case .inputNames, .inputCount, .unknownPlaceholder, .labelOutOfRange, .wrongCount,
      .wrongByteCount, .wrongShape, .wrongType, .outOfRange, .invalidJSON:
      return ModelError(.input, reason).message
    case .image(let error) where !error.isServerSide: return ImageError(error.reason).description
    default: return nil
    }
  }

  private static func summary(for stage: ModelError.Stage) -> String {
    switch stage {
    case .bundle: "the model's bundle is broken; the server's operator can validate it"
    case .runtime: "the model cannot be opened; the server's operator can ask its doctor"
    case .input: "an input cannot be read"
    case .run, .output: "the model has failed"
    }
  }
}

extension ImageError {
  /// Whether the server lacks something, rather than the picture.
  fileprivate var isServerSide: Bool {
    switch reason {
    case .libraryMissing, .unreadable, .unwritable: true
    default: false
    }
  }
}
