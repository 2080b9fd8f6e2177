internal import CTensorFlow
internal import TensorIOCore

/// Calls a function of TensorFlow's that reports to a status, and throws what that says.
///
/// This is the one place where a status becomes an error; none of them ends the process.
extension TensorFlowLibrary {
  func checked<Value>(
    _ function: String, at stage: ModelError.Stage = .runtime,
    _ call: (OpaquePointer) -> Value
  ) throws(ModelError) -> Value {
    guard let status = unsafe functions.pointee.TF_NewStatus() else {
      throw ModelError(stage, .failed("there is no memory for TensorFlow"))
    }
    defer { unsafe functions.pointee.TF_DeleteStatus(status) }
    let value = unsafe call(status)
    let code = unsafe functions.pointee.TF_GetCode(status)
    guard code != 0 else { return value }
    let message = unsafe String(cString: functions.pointee.TF_Message(status))
    throw TensorFlowStatus(code: Int(code), message: message).error(from: function, at: stage)
  }

  /// The same for a function that promises a handle.
  func handle(
    _ function: String, _ call: (OpaquePointer) -> OpaquePointer?
  ) throws(ModelError) -> OpaquePointer {
    guard let handle = unsafe try checked(function, call) else {
      throw ModelError(.runtime, .modelRefused(problem: "\(function) gave nothing"))
    }
    return unsafe handle
  }
}

/// What TensorFlow says of a call that failed.
struct TensorFlowStatus: Sendable {
  let code: Int
  let message: String

  /// Longer messages are cut: some list a whole graph.
  private static let longestMessage = 400

  /// The message's first line, without the list of nodes that follows it.
  var words: String {
    let line = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? meaning
    return line.count > Self.longestMessage ? line.prefix(Self.longestMessage) + "…" : line
  }

  /// The call's failure: while a model is being opened, the runtime refuses it.
  func error(from function: String, at stage: ModelError.Stage) -> ModelError {
    switch stage {
    case .runtime:
      ModelError(
        stage,
        operatorWithoutKernel.map { .missingOperators([$0]) }
          ?? .modelRefused(problem: "\(damage)\(words) (\(meaning))"))
    case .bundle, .input, .run, .output:
      ModelError(stage, .callFailed(function: function, status: code, message: words))
    }
  }

  /// The operator of which TensorFlow knows what it would do, and has nothing that does it.
  private var operatorWithoutKernel: String? {
    let sign = "No OpKernel was registered to support Op '"
    guard let found = message.firstRange(of: sign) else { return nil }
    return message[found.upperBound...].split(separator: "'").first.map(String.init)
  }

  /// What is said before the words of codes by which files prove to be cut off or changed.
  private var damage: String {
    ["out of range", "data loss"].contains(meaning) ? "its weights are damaged: " : ""
  }

  /// The names of TensorFlow's codes, from 0.
  private static let meanings = [
    "ok", "cancelled", "unknown", "invalid argument", "deadline exceeded", "not found",
    "already exists", "permission denied", "resource exhausted", "failed precondition", "aborted",
    "out of range", "unimplemented", "internal", "unavailable", "data loss", "unauthenticated",
  ]

  private var meaning: String {
    Self.meanings.indices.contains(code) ? Self.meanings[code] : "status \(code)"
  }
}
