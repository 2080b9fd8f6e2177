/// The value of a parameter of a request, an input or an output.
package enum InferenceParameter: Sendable, Hashable {
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)

  /// The Boolean value; `nil` for others.
  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The integer; `nil` for others.
  package var int: Int? { if case .int(let value) = self { Int(value) } else { nil } }

  /// The string; `nil` for others.
  package var string: String? { if case .string(let value) = self { value } else { nil } }
}

extension [String: InferenceParameter] {
  /// Rejects the parameters of an input or output whose elements are in memory that client and server
  /// share.
  ///
  /// - Parameter owner: What has the parameters, such as `input 'x'`.
  /// - Throws: A ``ClientError`` if there is such a parameter. Ignoring it would read or return other
  ///   elements than the client expects.
  func rejectSharedMemory(of owner: String) throws(ClientError) {
    guard let name = keys.filter({ $0.hasPrefix("shared_memory_") }).max() else { return }
    throw ClientError(
      .notImplemented, "not-implemented",
      "\(owner): shared memory is not supported, got '\(name)'")
  }
}

extension ClientError {
  /// A client manages memory that it shares with the server.
  static let sharedMemory = ClientError(
    .notImplemented, "not-implemented", "shared memory is not supported")
}
