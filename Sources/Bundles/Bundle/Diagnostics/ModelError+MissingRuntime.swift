import TensorIOJSON

extension ModelError {
  /// Details of a runtime library that could not be opened.
  public struct MissingRuntime: Sendable, Hashable {
    /// The required runtime.
    public let backend: BackendIdentifier
    /// The locations searched and why each failed, one line per location.
    public let searchResults: [String]
    /// What makes the runtime available, such as the variable that can name its library.
    public let recoverySuggestion: String

    /// Creates the details of a missing runtime.
    public init(
      backend: BackendIdentifier, searchResults: [String], recoverySuggestion: String
    ) {
      self.backend = backend
      self.searchResults = searchResults
      self.recoverySuggestion = recoverySuggestion
    }
  }

  /// The runtime whose library could not be opened; `nil` for other errors.
  public var missingRuntime: MissingRuntime? {
    guard reason.code == ModelError.runtimeMissing, let backend = text("backend"),
      let suggestion = text("suggestion")
    else { return nil }
    return MissingRuntime(
      backend: BackendIdentifier(rawValue: backend),
      searchResults: texts("searched") ?? [],
      recoverySuggestion: suggestion)
  }
}
