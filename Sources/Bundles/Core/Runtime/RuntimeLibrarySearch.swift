import Synchronization
package import TensorIOBundle
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The search for a runtime's shared library.
///
/// A path given by the caller or by an environment variable is the only candidate. If the search
/// continued after it failed, another library could be used unnoticed.
package struct RuntimeLibrarySearch: Sendable, Hashable {
  /// The library to search for.
  package let specification: RuntimeLibrarySpecification
  /// The path given by the caller, if any.
  package let explicitPath: String?
  /// The environment variables that can name a library or a folder.
  package let environment: [String: String]

  /// Creates a search; `environment` defaults to the environment of the process.
  package init(
    for specification: RuntimeLibrarySpecification, explicitPath: String? = nil,
    environment: [String: String]? = nil
  ) {
    self.specification = specification
    self.explicitPath = explicitPath
    self.environment =
      environment
      ?? Platform.environment(
        of: DataDirectory.environmentVariables + [specification.environmentVariable])
  }

  /// Returns the candidates in the order in which they are tried.
  package func candidates() -> [RuntimeLibraryCandidate] {
    if let explicitPath {
      return [RuntimeLibraryCandidate(origin: .explicit, path: explicitPath)]
    }
    let variable = specification.environmentVariable
    if let path = environment[variable], !path.isEmpty {
      return [RuntimeLibraryCandidate(origin: .environment(variable), path: path)]
    }
    return installed() + [
      RuntimeLibraryCandidate(origin: .systemLoader, path: specification.libraryFileName)
    ]
  }

  /// Opens the first candidate that works.
  ///
  /// - Parameter open: Opens the library at a path, or returns the reason of the failure.
  /// - Returns: The library and the candidate it was opened from.
  /// - Throws: ``ModelError/runtimeMissing`` with all candidates that were tried.
  package func open<Library>(
    _ open: (String) -> RuntimeLibraryOpenResult<Library>
  ) throws(ModelError) -> (library: Library, candidate: RuntimeLibraryCandidate) {
    var findings: [String] = []
    for candidate in candidates() {
      switch candidate.isMissing ? .failed("no such file") : open(candidate.path) {
      case .opened(let library): return (library, candidate)
      case .failed(let reason): findings.append(candidate.failureDescription(reason))
      }
    }
    throw ModelError(
      .runtime,
      .runtimeMissing(
        ModelError.MissingRuntime(
          backend: specification.backend, searchResults: findings,
          recoverySuggestion: recoverySuggestion)))
  }

  /// What makes a failed search succeed.
  private var recoverySuggestion: String {
    switch candidates().first?.origin {
    case .explicit: "correct the path of \(specification.libraryFileName)"
    case .environment(let variable): "correct or unset \(variable)"
    default:
      "install \(specification.displayName) \(specification.version), "
        + "or set \(specification.environmentVariable) to its path"
    }
  }

  private func installed() -> [RuntimeLibraryCandidate] {
    guard let folder = DataDirectory(environment: environment) else { return [] }
    return [
      RuntimeLibraryCandidate(origin: .dataDirectory, path: folder.libraryPath(for: specification))
    ]
  }
}

/// The result of opening a library.
package enum RuntimeLibraryOpenResult<Library> {
  /// The opened library.
  case opened(Library)
  /// The reason of the failure.
  case failed(String)
}

/// A path at which a runtime's library may be.
package struct RuntimeLibraryCandidate: Sendable, Hashable {
  /// The source of a candidate path.
  package enum Origin: Sendable, Hashable {
    /// The caller's explicit path.
    case explicit
    /// An environment variable.
    case environment(String)
    /// The data directory, where libraries are installed.
    case dataDirectory
    /// The search path of the dynamic loader.
    case systemLoader
  }

  /// The source of the path.
  package let origin: Origin
  /// The path, or the file name that is passed to the dynamic loader.
  package let path: String

  /// Creates a candidate.
  package init(origin: Origin, path: String) {
    self.origin = origin
    self.path = path
  }

  /// Whether the candidate is a path without a file.
  ///
  /// A bare file name is never missing, since only the dynamic loader can resolve it.
  package var isMissing: Bool {
    path.contains("/") && !FileManager.default.fileExists(atPath: path)
  }

  /// Returns the library's version if its path reveals it: the version folder of an installed
  /// library, or the `.dist-info` folder next to one in a Python package.
  package func installedVersion(of specification: RuntimeLibrarySpecification) -> String? {
    let folders = path.split(separator: "/").map(String.init).dropLast()
    if origin == .dataDirectory || path.hasSuffix(specification.libraryPath) {
      return specification.version
    }
    guard path.contains("/"), folders.count > 1 else { return nil }
    let parent = (path.hasPrefix("/") ? "/" : "") + folders.dropLast().joined(separator: "/")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    return specification.wheels.lazy.compactMap { $0.version(inDistInfoNames: names) }.first
  }

  func failureDescription(_ reason: String) -> String {
    // The dynamic loader's messages often begin with the path already.
    let text = reason.hasPrefix(path + ":") ? reason : "\(path): \(reason)"
    return switch origin {
    case .explicit: text
    case .environment(let variable): "\(variable)=\(text)"
    case .dataDirectory: "installed: \(text)"
    case .systemLoader: "system: \(text)"
    }
  }
}

extension RuntimeWheel {
  /// Returns the version in the name of the package's `.dist-info` folder.
  fileprivate func version(inDistInfoNames names: [String]) -> String? {
    let prefix = package.split(separator: "-").joined(separator: "_") + "-"
    let suffix = ".dist-info"
    let name = names.first { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }
    return name.map { String($0.dropFirst(prefix.count).dropLast(suffix.count)) }
  }
}

/// A value that is created on first use and shared by all copies of a backend.
///
/// Failures are not cached; the next call retries.
package final class LazyResource<Opened: Sendable>: Sendable {
  private let resource = Mutex<Opened?>(nil)

  package init() {}

  /// Returns the value, creating it if needed.
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
