internal import CLiteRT
internal import TensorIOCore

/// Throws unless a call of LiteRT's succeeded: the one place where its status becomes an error.
///
/// - Parameters:
///   - status: What the function returned.
///   - function: The function's name in C.
///   - stage: What the call was for. While a model is being opened, failure means that the runtime
///     refuses it.
///   - message: The runtime's own words, where it has any.
/// - Throws: The failure, with function, status and message.
func require(
  _ status: LiteRtStatus, from function: String, at stage: ModelError.Stage = .runtime,
  message: @autoclosure () -> String? = nil
) throws(ModelError) {
  guard status != 0 else { return }
  let words = message() ?? meaning(of: status)
  switch stage {
  case .runtime:
    throw ModelError(stage, .modelRefused(problem: "\(words) (\(function), status \(status))"))
  case .bundle, .input, .run, .output:
    throw ModelError(
      stage, .callFailed(function: function, status: Int(status), message: words))
  }
}

/// The same for a function that promises a handle.
func require(
  _ handle: OpaquePointer?, _ status: LiteRtStatus, from function: String
) throws(ModelError) -> OpaquePointer {
  try require(status, from: function)
  guard let handle = unsafe handle else {
    throw ModelError(.runtime, .modelRefused(problem: "\(function) gave nothing"))
  }
  return unsafe handle
}

private func meaning(of status: LiteRtStatus) -> String {
  switch status {
  case 1: "an argument is invalid"
  case 2: "there is not enough memory"
  case 3: "the runtime failed"
  case 4: "an input is missing"
  case 5: "this is not supported"
  case 6: "not found"
  case 7: "it took too long"
  case 8, 4000, 4001, 4002: "the version does not fit"
  case 100: "it was cancelled"
  case 500: "the file is not a TensorFlow Lite model"
  case 501: "the model is damaged or cut short"
  case 502: "a library could not be loaded"
  case 504: "the model could not be compiled"
  case 1000: "an index is out of range"
  case 1001...1003: "the graph is inconsistent"
  default: "an unknown failure"
  }
}
