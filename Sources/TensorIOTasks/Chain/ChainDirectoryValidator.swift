public import TensorIOBundle
public import TensorIOCore
import TensorIOJSON
import TensorIOSystem

/// Finds all that is wrong with a chain and with the bundles that it names.
public struct ChainDirectoryValidator: Sendable {
  /// What came of checking a chain.
  public struct Report: Sendable {
    /// What the chain says; `nil` when anything in it is wrong.
    public let description: ChainDescription?
    /// All that is wrong or doubtful about the chain itself.
    public let diagnostics: [Diagnostic]
    /// What came of checking its bundles, each once, in the order of the steps.
    public let bundles: [(name: String, report: ValidationReport)]

    /// Whether nothing is wrong with the chain and its bundles; something may be doubtful.
    public var isValid: Bool { allDiagnostics.allSatisfy { $0.severity != .error } }
    /// The problems of the chain and of its bundles.
    public var allDiagnostics: [Diagnostic] { diagnostics + bundles.flatMap(\.report.diagnostics) }
    /// Why the chain, or a bundle's model, could not be opened, where one could not.
    public var loadError: ModelError? {
      chainLoadError ?? bundles.lazy.compactMap(\.report.loadError).first
    }

    /// Why the chain's folder was refused before it was read.
    fileprivate var chainLoadError: ModelError?
  }

  /// How the bundles are checked.
  public var bundleValidator: BundleValidator

  /// A checker that checks bundles in its own way.
  public init(bundleValidator: BundleValidator) {
    self.bundleValidator = bundleValidator
  }

  /// Checks the chain in a folder.
  public func validate(_ path: String) -> Report {
    do throws(ModelError) {
      let folder = try ChainDirectory(at: path, trust: bundleValidator.trust)
      let read = ChainReport(parsing: folder.bytes)
      guard let chain = read.description else {
        return Report(description: nil, diagnostics: read.diagnostics, bundles: [])
      }
      return validate(chain, read, in: folder)
    } catch {
      var report = Report(description: nil, diagnostics: [Diagnostic(error)], bundles: [])
      report.chainLoadError = error.stage == .bundle ? nil : error
      return report
    }
  }

  private func validate(
    _ chain: ChainDescription, _ read: ChainReport, in folder: ChainDirectory
  ) -> Report {
    var reports: [(name: String, report: ValidationReport)] = []
    var problems: [Diagnostic] = []
    var models: [String: ModelDescription] = [:]
    for (index, step) in chain.steps.enumerated() {
      guard case .bundle(let name, _) = step.kind else { continue }
      let place = "/steps/\(index)/bundle"
      let path = folder.bundlePath(named: name)
      guard FileKind(at: path) != nil else {
        problems.append(missingBundleDiagnostic(name, at: place))
        continue
      }
      let report = reports.first { $0.name == name }?.report ?? bundleValidator.validate(path)
      if !reports.contains(where: { $0.name == name }) { reports.append((name, report)) }
      models[step.name] = report.description
      if !report.isValid { problems.append(invalidBundleDiagnostic(name, at: place)) }
    }
    problems += chain.compatibilityDiagnostics(for: models)
    let placed = problems.map { problem in read.document.map(problem.withPosition) ?? problem }
    let description = placed.contains { $0.severity == .error } ? nil : chain
    return Report(
      description: description, diagnostics: read.diagnostics + placed, bundles: reports)
  }

  private func missingBundleDiagnostic(_ name: String, at path: String) -> Diagnostic {
    Diagnostic(
      .error, .missingBundle, path: path, expected: "a bundle beside the chain or in it",
      found: "nothing", message: "There is no bundle \(name) beside the chain or in it.")
  }

  private func invalidBundleDiagnostic(_ name: String, at path: String) -> Diagnostic {
    Diagnostic(
      .error, .invalidBundle, path: path, expected: "a valid bundle", found: name,
      message: "The bundle \(name) cannot be used; its own problems tell why.")
  }
}

/// The folder of a chain: what its `chain.json` says, and where its bundles lie.
package struct ChainDirectory {
  private let folder: BundleFolder
  /// The text of the description.
  let bytes: [UInt8]

  /// Reads the description, and sees that the folder is what a manifest in it says, and of somebody
  /// who is trusted.
  package init(at path: String, trust: TrustPolicy = .unrestricted) throws(ModelError) {
    folder = try BundleFolder(at: path, trust: trust)
    bytes = try folder.bytes(of: ChainDescription.fileName, limit: JSONLimits.modelDescription.bytes)
  }

  /// The folder as the caller named it, without what may follow its name.
  package var path: String { folder.path }

  /// What the chain says.
  package func description() throws(ModelError) -> ChainDescription {
    do throws(ModelError) {
      return try ChainDescription(json: bytes)
    } catch {
      throw error.in(file: "\(path)/\(ChainDescription.fileName)")
    }
  }

  /// A bundle's path: in the chain's own folder, or else beside it.
  package func bundlePath(named name: String) -> String {
    contains(name) ? "\(path)/\(name)" : siblingPath(of: name)
  }

  /// Whether a bundle lies in the chain's own folder.
  package func contains(_ name: String) -> Bool { FileKind(at: "\(path)/\(name)") != nil }

  private func siblingPath(of name: String) -> String {
    guard let resolved = FilePath.resolved(path) else { return "\(path)/\(name)" }
    return FilePath.parent(of: resolved) + "/" + name
  }
}
