package import TensorIOBundle
package import TensorIOCore
import TensorIOJSON
import TensorIOSystem

/// Validates a chain and its bundles.
package struct ChainDirectoryValidator: Sendable {
  /// The result of validating a chain.
  package struct Report: Sendable {
    /// The description of the chain; `nil` if it has errors.
    package let description: ChainDescription?
    /// The diagnostics of the chain itself.
    package let diagnostics: [Diagnostic]
    /// The reports of the bundles without duplicates, in the order of the steps.
    package let bundles: [(name: String, report: ValidationReport)]

    /// Whether there are no errors, only warnings.
    package var isValid: Bool { allDiagnostics.allSatisfy { $0.severity != .error } }
    /// The diagnostics of the chain and its bundles.
    package var allDiagnostics: [Diagnostic] { diagnostics + bundles.flatMap(\.report.diagnostics) }
    /// The error from opening the chain or a bundle's model, if there was one.
    package var loadError: ModelError? {
      chainLoadError ?? bundles.lazy.compactMap(\.report.loadError).first
    }

    /// The error from opening the chain's folder.
    fileprivate var chainLoadError: ModelError?
  }

  /// The validator of the bundles.
  package var bundleValidator: BundleValidator

  /// Creates a validator.
  package init(bundleValidator: BundleValidator) {
    self.bundleValidator = bundleValidator
  }

  /// Validates the chain in a folder.
  package func validate(_ path: String) -> Report {
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
    var diagnostics: [Diagnostic] = []
    var models: [String: ModelDescription] = [:]
    for (index, step) in chain.steps.enumerated() {
      guard case .bundle(let name, _) = step.kind else { continue }
      let pointer = "/steps/\(index)/bundle"
      let path = folder.bundlePath(named: name)
      guard FileKind(at: path) != nil else {
        diagnostics.append(missingBundleDiagnostic(name, at: pointer))
        continue
      }
      let report = reports.first { $0.name == name }?.report ?? bundleValidator.validate(path)
      if !reports.contains(where: { $0.name == name }) { reports.append((name, report)) }
      models[step.name] = report.description
      if !report.isValid { diagnostics.append(invalidBundleDiagnostic(name, at: pointer)) }
    }
    diagnostics += chain.compatibilityDiagnostics(for: models)
    let located = diagnostics.map { diagnostic in
      read.document.map(diagnostic.withPosition) ?? diagnostic
    }
    let description = located.contains { $0.severity == .error } ? nil : chain
    return Report(
      description: description, diagnostics: read.diagnostics + located, bundles: reports)
  }

  private func missingBundleDiagnostic(_ name: String, at path: String) -> Diagnostic {
    Diagnostic(
      .error, .missingBundle, path: path,
      expected: "a bundle in the chain's folder or next to it", found: "nothing",
      message: "the bundle \(name) is neither in the chain's folder nor next to it")
  }

  private func invalidBundleDiagnostic(_ name: String, at path: String) -> Diagnostic {
    Diagnostic(
      .error, .invalidBundle, path: path, expected: "a valid bundle", found: name,
      message: "the bundle \(name) has errors; see its diagnostics")
  }
}

/// The folder of a chain with its description and bundles.
package struct ChainDirectory {
  private let folder: BundleFolder
  /// The contents of `chain.json`.
  package let bytes: [UInt8]

  /// Reads the description, after verifying the folder's manifest and signature as the trust policy
  /// requires.
  package init(at path: String, trust: TrustPolicy = .unrestricted) throws(ModelError) {
    folder = try BundleFolder(at: path, trust: trust)
    bytes = try folder.bytes(
      of: ChainDescription.fileName, limit: JSONLimits.modelDescription.bytes)
  }

  /// The path of the folder without trailing slashes.
  package var path: String { folder.path }

  /// Parses the description.
  package func description() throws(ModelError) -> ChainDescription {
    do throws(ModelError) {
      return try ChainDescription(json: bytes)
    } catch {
      throw error.in(file: "\(path)/\(ChainDescription.fileName)")
    }
  }

  /// Opens the bundles of the steps as those of a composed bundle.
  func bundle(_ options: OpeningOptions) throws(ModelError) -> ModelBundle {
    let chain = try description()
    var models: [String: ModelInfo] = [:]
    for step in chain.steps {
      guard case .bundle(let name, _) = step.kind else { continue }
      let part = try ModelBundle(at: bundlePath(named: name), options: options)
      models[step.name] = ModelInfo(
        part, part.description.resolved(for: part.description.defaultMode))
    }
    return try ChainInterface(chain, models, at: path, describedBy: bytes).bundle
  }

  /// Returns the path of a bundle in the chain's folder or, if it is not there, next to it.
  package func bundlePath(named name: String) -> String {
    contains(name) ? "\(path)/\(name)" : siblingPath(of: name)
  }

  /// Returns whether a bundle is in the chain's folder.
  package func contains(_ name: String) -> Bool { FileKind(at: "\(path)/\(name)") != nil }

  private func siblingPath(of name: String) -> String {
    guard let resolved = FilePath.resolved(path) else { return "\(path)/\(name)" }
    return FilePath.parent(of: resolved) + "/" + name
  }
}
