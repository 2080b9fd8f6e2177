import Synchronization
public import TensorIOBundle
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The places where a runtime's library is looked for, in order.
///
/// What a caller or a variable names outright is the only place: were another library taken when
/// that one does not work, nobody would notice that the wrong one runs.
public struct RuntimeLibrarySearch: Sendable, Hashable {
  /// What is looked for.
  public let specification: RuntimeLibrarySpecification
  /// The path that the caller gave, if any.
  public let explicitPath: String?
  /// The variables that may name a library or a folder.
  public let environment: [String: String]

  /// A search in the process's own environment, or in another.
  public init(
    for specification: RuntimeLibrarySpecification, explicitPath: String? = nil,
    environment: [String: String]? = nil
  ) {
    self.specification = specification
    self.explicitPath = explicitPath
    self.environment =
      environment
      ?? Platform.environment(of: DataDirectory.environmentVariables + [specification.environmentVariable])
  }

  /// The places that are tried, in order.
  public func candidates() -> [RuntimeLibraryCandidate] {
    if let explicitPath {
      return [RuntimeLibraryCandidate(origin: .explicit, path: explicitPath)]
    }
    let variable = specification.environmentVariable
    if let path = environment[variable], !path.isEmpty {
      return [RuntimeLibraryCandidate(origin: .environment(variable), path: path)]
    }
    return installed() + [RuntimeLibraryCandidate(origin: .systemLoader, path: specification.libraryFileName)]
  }

  /// Opens the first place that works.
  ///
  /// - Parameter open: Opens the library at a path, or says in a few words why it cannot.
  /// - Returns: The library, and where it was found.
  /// - Throws: Everything that was tried, and the command that puts it right.
  public func open<Library>(
    _ open: (String) -> RuntimeLibraryOpenResult<Library>
  ) throws(ModelError) -> (library: Library, candidate: RuntimeLibraryCandidate) {
    var findings: [String] = []
    for candidate in candidates() {
      switch candidate.isMissing ? .failed("not there") : open(candidate.path) {
      case .opened(let library): return (library, candidate)
      case .failed(let problem): findings.append(candidate.failureDescription(problem))
      }
    }
    throw ModelError(
      .runtime,
      .runtimeMissing(
        ModelError.MissingRuntime(
          backend: specification.backend, searchResults: findings, installCommand: fixCommand)))
  }

  /// The command that puts a failed search right.
  ///
  /// Installing does not help against a variable that points elsewhere, so that has to go first.
  public var fixCommand: String {
    switch candidates().first?.origin {
    case .environment(let variable): "unset \(variable) && \(specification.installCommand)"
    default: specification.installCommand
    }
  }

  private func installed() -> [RuntimeLibraryCandidate] {
    guard let folder = DataDirectory(environment: environment) else { return [] }
    return [RuntimeLibraryCandidate(origin: .dataDirectory, path: folder.libraryPath(for: specification))]
  }
}

/// What came of opening a library.
public enum RuntimeLibraryOpenResult<Library> {
  /// It works.
  case opened(Library)
  /// It does not, for this reason.
  case failed(String)
}

/// One place where a runtime's library may be.
public struct RuntimeLibraryCandidate: Sendable, Hashable {
  /// Why it is looked for there.
  public enum Origin: Sendable, Hashable {
    /// The caller said so.
    case explicit
    /// A variable of the environment says so.
    case environment(String)
    /// It is installed there.
    case dataDirectory
    /// The system's loader may know it by its name.
    case systemLoader
  }

  /// Why it is looked for there.
  public let origin: Origin
  /// The path, or the bare name that the system's loader is asked for.
  public let path: String

  /// A place.
  public init(origin: Origin, path: String) {
    self.origin = origin
    self.path = path
  }

  /// Whether the place is a path at which there is nothing.
  ///
  /// A bare name is never absent: only the loader knows where it looks.
  public var isMissing: Bool {
    path.contains("/") && !FileManager.default.fileExists(atPath: path)
  }

  /// The library's version where its surroundings tell it: an installed one lies in a folder named
  /// after the version, one inside a Python package has the package's papers beside it.
  public func installedVersion(of specification: RuntimeLibrarySpecification) -> String? {
    let folders = path.split(separator: "/").map(String.init).dropLast()
    if origin == .dataDirectory { return specification.version }
    guard path.contains("/"), folders.count > 1 else { return nil }
    let around = (path.hasPrefix("/") ? "/" : "") + folders.dropLast().joined(separator: "/")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: around)) ?? []
    return specification.wheels.lazy.compactMap { $0.version(inDistInfoNames: names) }.first
  }

  func failureDescription(_ problem: String) -> String {
    // The loader's own words often begin with the path already.
    let words = problem.hasPrefix(path + ":") ? problem : "\(path): \(problem)"
    return switch origin {
    case .explicit: words
    case .environment(let variable): "\(variable)=\(words)"
    case .dataDirectory: "installed: \(words)"
    case .systemLoader: "system: \(words)"
    }
  }
}

extension RuntimeWheel {
  /// The version of the package that an installer noted in the name of a `.dist-info` folder.
  fileprivate func version(inDistInfoNames names: [String]) -> String? {
    let prefix = package.split(separator: "-").joined(separator: "_") + "-"
    let suffix = ".dist-info"
    let papers = names.first { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }
    return papers.map { String($0.dropFirst(prefix.count).dropLast(suffix.count)) }
  }
}

/// What is opened when it is first needed, and then shared by all copies of a backend.
///
/// A first attempt that fails is no last one: the next may find what was missing.
package final class LazyResource<Opened: Sendable>: Sendable {
  private let resource = Mutex<Opened?>(nil)

  package init() {}

  /// What was opened, or is opened now.
  package func getOrOpen(
    _ open: () throws(ModelError) -> Opened
  ) throws(ModelError) -> Opened {
    try resource.withLock { (opened) throws(ModelError) in
      let value = if let opened { opened } else { try open() }
      opened = value
      return value
    }
  }
}
