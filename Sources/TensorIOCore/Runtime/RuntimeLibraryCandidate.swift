#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// One place where a runtime's library may be.
public struct RuntimeCandidate: Sendable, Hashable {
  /// Why it is looked for there.
  public enum Origin: Sendable, Hashable {
    /// The caller said so.
    case option
    /// A variable of the environment says so.
    case environment(String)
    /// It is installed there.
    case dataFolder
    /// The system's loader may know it by its name.
    case loader
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
  public var isAbsent: Bool {
    path.contains("/") && !FileManager.default.fileExists(atPath: path)
  }

  /// The library's version where its surroundings tell it: an installed one lies in a folder named
  /// after the version, one inside a Python package has the package's papers beside it.
  public func version(of specification: RuntimeSpecification) -> String? {
    let folders = path.split(separator: "/").map(String.init).dropLast()
    if origin == .dataFolder { return specification.version }
    guard path.contains("/"), folders.count > 1 else { return nil }
    let around = (path.hasPrefix("/") ? "/" : "") + folders.dropLast().joined(separator: "/")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: around)) ?? []
    return specification.wheels.lazy.compactMap { $0.version(amongPapers: names) }.first
  }

  func finding(_ problem: String) -> String {
    // The loader's own words often begin with the path already.
    let words = problem.hasPrefix(path + ":") ? problem : "\(path): \(problem)"
    return switch origin {
    case .option: words
    case .environment(let variable): "\(variable)=\(words)"
    case .dataFolder: "installed: \(words)"
    case .loader: "system: \(words)"
    }
  }
}

extension RuntimeWheel {
  /// The version of the package that an installer noted in the name of a `.dist-info` folder.
  fileprivate func version(amongPapers names: [String]) -> String? {
    let prefix = package.split(separator: "-").joined(separator: "_") + "-"
    let suffix = ".dist-info"
    let papers = names.first { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }
    return papers.map { String($0.dropFirst(prefix.count).dropLast(suffix.count)) }
  }
}
