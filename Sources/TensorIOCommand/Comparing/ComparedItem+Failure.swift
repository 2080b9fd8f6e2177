import TensorIOCore
internal import TensorIOEvaluation

extension ComparedItem {
  /// Why there is nothing to compare, as commands tell it; `nil` where there is.
  var failure: CommandFailure? {
    guard case .failed(let failures) = outcome, let first = failures.first else { return nil }
    let message = failures.map(\.text).joined(separator: "; ")
    return CommandFailure(first.code, message, exit: .input)
  }
}

extension ComparedItem.Failure {
  /// The failure, told of the model that failed.
  fileprivate var text: String {
    side.map { "\($0.rawValue.uppercased()): \(message)" } ?? message
  }
}
