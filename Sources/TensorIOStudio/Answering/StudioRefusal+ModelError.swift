internal import TensorIOCore
internal import TensorIOServer

extension StudioRefusal {
  /// An error of the pipeline, without the places of this machine.
  ///
  /// The studio's person has brought models and data himself, and is told more of them than a
  /// server's clients are.
  init(_ error: ModelError, _ veil: Veil) {
    let failure = PublicFailure(error)
    let status = error.stage == .bundle ? .unprocessable : failure.status
    self.init(status, failure.code, Self.message(error, veil) ?? failure.message)
  }

  /// What the error says itself; `nil` where that would be about the machine.
  private static func message(_ error: ModelError, _ veil: Veil) -> String? {
    switch error.reason {
    case .runtimeMissing(let problem):
      "the \(problem.backend) runtime is missing; `tensorio doctor` tells what to do"
    case .callFailed, .unwritable: nil
    default: veil.text(error.message)
    }
  }
}
