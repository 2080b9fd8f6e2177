internal import TensorIOCore
internal import TensorIOServer

extension StudioRefusal {
  /// An error of the pipeline, without the places of this machine.
  init(_ error: ModelError, _ veil: Veil) {
    self.init(Self.status(of: error), error.code, veil.text(error.message))
  }

  private static func status(of error: ModelError) -> HTTPStatus {
    switch error.stage {
    case .bundle, .input: .unprocessable
    case .runtime: .unavailable
    case .run, .output: .failed
    }
  }
}
