import Synchronization

/// The trace and logging settings that clients can read and change.
package final class InferenceSettings: Sendable {
  /// The value of a setting.
  package enum Value: Sendable, Equatable {
    case bool(Bool)
    case int(Int)
    case string(String)
    case strings([String])
  }

  private struct State {
    var trace: [String: Value] = [
      "trace_level": .strings(["OFF"]), "trace_rate": .string("1000"), "trace_count": .string("-1"),
      "log_frequency": .string("0"), "trace_file": .string(""), "trace_mode": .string("triton"),
    ]
    /// The settings of models that differ from those of the server.
    var modelTraces: [String: [String: Value]] = [:]
    var log: [String: Value] = [
      "log_file": .string(""), "log_info": .bool(true), "log_warning": .bool(true),
      "log_error": .bool(true), "log_verbose_level": .int(0), "log_format": .string("default"),
    ]
  }

  private let state = Mutex(State())
  private static let traceLevels: Set<String> = ["OFF", "TIMESTAMPS", "TENSORS"]

  /// Returns the trace settings of a model, or those of the server.
  package func trace(of model: String? = nil) -> [String: Value] {
    state.withLock { state in
      let changes = model.flatMap { state.modelTraces[$0] } ?? [:]
      return state.trace.merging(changes) { $1 }
    }
  }

  /// The logging settings.
  package var log: [String: Value] { state.withLock(\.log) }

  /// Changes trace settings; `nil` resets one to its default.
  ///
  /// - Throws: A ``ClientError`` if a setting is unknown or has a wrong value.
  package func updateTrace(_ changes: [String: Value?], of model: String? = nil) throws(ClientError)
  {
    for (name, value) in changes { try Self.checkTrace(name, value) }
    state.withLock { state in
      let defaults = State().trace
      for (name, value) in changes {
        if let model {
          state.modelTraces[model, default: [:]][name] = value
        } else {
          state.trace[name] = value ?? defaults[name]
        }
      }
    }
  }

  /// Changes logging settings.
  ///
  /// - Throws: A ``ClientError`` if a setting is unknown or has a wrong value.
  package func updateLog(_ changes: [String: Value?]) throws(ClientError) {
    for (name, value) in changes { try Self.checkLog(name, value) }
    state.withLock { state in
      for case (let name, let value?) in changes { state.log[name] = value }
    }
  }

  private static func checkTrace(_ name: String, _ value: Value?) throws(ClientError) {
    switch (name, value) {
    case ("trace_level", .strings(let levels)?):
      guard levels.allSatisfy(traceLevels.contains) else {
        throw invalid("trace_level must be OFF, TIMESTAMPS or TENSORS")
      }
    case ("trace_rate", .string(let text)?), ("trace_count", .string(let text)?),
      ("log_frequency", .string(let text)?):
      guard let number = Int(text), number >= -1 else {
        throw invalid("\(name) must be an integer")
      }
    case ("trace_level", nil), ("trace_rate", nil), ("trace_count", nil), ("log_frequency", nil):
      return
    case ("trace_file", _), ("trace_mode", _):
      throw invalid("\(name) cannot be changed by clients")
    default: throw invalid("unknown trace setting '\(name)', or a value of a wrong type")
    }
  }

  private static func checkLog(_ name: String, _ value: Value?) throws(ClientError) {
    switch (name, value) {
    case ("log_info", .bool?), ("log_warning", .bool?), ("log_error", .bool?): return
    case ("log_verbose_level", .int(let level)?) where level >= 0: return
    case ("log_format", .string(let format)?) where ["default", "ISO8601"].contains(format): return
    case ("log_file", _): throw invalid("log_file cannot be changed by clients")
    default: throw invalid("unknown log setting '\(name)', or a value of a wrong type")
    }
  }

  private static func invalid(_ message: String) -> ClientError {
    ClientError(.badRequest, "invalid-setting", message)
  }
}
