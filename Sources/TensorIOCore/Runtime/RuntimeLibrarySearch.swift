internal import TensorIOSystem

/// The places where a runtime's library is looked for, in order.
///
/// What a caller or a variable names outright is the only place: were another library taken when
/// that one does not work, nobody would notice that the wrong one runs.
public struct RuntimeSearch: Sendable, Hashable {
  /// What is looked for.
  public let specification: RuntimeSpecification
  /// The path that the caller gave, if any.
  public let option: String?
  /// The variables that may name a library or a folder.
  public let environment: [String: String]

  /// A search in the process's own environment, or in another.
  public init(
    for specification: RuntimeSpecification, option: String? = nil,
    environment: [String: String]? = nil
  ) {
    self.specification = specification
    self.option = option
    self.environment =
      environment
      ?? Platform.environment(of: DataFolder.variables + [specification.environmentVariable])
  }

  /// The places that are tried, in order.
  public func candidates() -> [RuntimeCandidate] {
    if let option {
      return [RuntimeCandidate(origin: .option, path: option)]
    }
    let variable = specification.environmentVariable
    if let path = environment[variable], !path.isEmpty {
      return [RuntimeCandidate(origin: .environment(variable), path: path)]
    }
    return installed() + [RuntimeCandidate(origin: .loader, path: specification.libraryFile)]
  }

  /// Opens the first place that works.
  ///
  /// - Parameter open: Opens the library at a path, or says in a few words why it cannot.
  /// - Returns: The library, and where it was found.
  /// - Throws: Everything that was tried, and the command that puts it right.
  public func open<Library>(
    _ open: (String) -> RuntimeOpening<Library>
  ) throws(ModelError) -> (library: Library, candidate: RuntimeCandidate) {
    var findings: [String] = []
    for candidate in candidates() {
      switch candidate.isAbsent ? .failed("not there") : open(candidate.path) {
      case .opened(let library): return (library, candidate)
      case .failed(let problem): findings.append(candidate.finding(problem))
      }
    }
    throw ModelError(
      .runtime,
      .runtimeMissing(
        ModelError.RuntimeProblem(
          backend: specification.backend, findings: findings, fix: remedy)))
  }

  /// The command that puts a failed search right.
  ///
  /// Installing does not help against a variable that points elsewhere, so that has to go first.
  public var remedy: String {
    switch candidates().first?.origin {
    case .environment(let variable): "unset \(variable) && \(specification.installCommand)"
    default: specification.installCommand
    }
  }

  private func installed() -> [RuntimeCandidate] {
    guard let folder = DataFolder(environment: environment) else { return [] }
    return [RuntimeCandidate(origin: .dataFolder, path: folder.library(of: specification))]
  }
}

/// What came of opening a library.
public enum RuntimeOpening<Library> {
  /// It works.
  case opened(Library)
  /// It does not, for this reason.
  case failed(String)
}
