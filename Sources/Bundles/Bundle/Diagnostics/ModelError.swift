public import TensorIOAudio
public import TensorIOImage
public import TensorIOJSON
package import TensorIOSystem

/// An error thrown while opening, validating or running a model.
///
/// Functions of the library throw it as a typed error, so that a `catch` needs no cast:
///
/// ```swift
/// import TensorIO
///
/// func open(_ path: String) -> Model? {
///   do {
///     return try Model(bundleAt: path)
///   } catch {
///     switch error.code {
///     case "runtime-missing": print("install the runtime: \(error)")
///     case "missing-bundle": print("no bundle at \(path)")
///     default: print(error)
///     }
///     return nil
///   }
/// }
/// ```
///
/// If a `do` block throws several types, such as ``ImageError`` too, its `catch` receives an `any
/// Error`, and `localizedDescription` is the same text as ``description``.
///
/// The stage determines the exit code of a command and the status of an HTTP response. The reason
/// carries the details as data; `ModelError+Description.swift` turns them into text.
public struct ModelError: Error, Sendable, Equatable {
  /// The stage at which an operation failed.
  public enum Stage: String, Sendable, CaseIterable {
    /// Opening the bundle's folder or reading its description.
    case bundle
    /// Loading the runtime library, or the model in it.
    case runtime
    /// Converting the application's values to tensors.
    case input
    /// Running the model.
    case run
    /// Converting tensors to the application's values.
    case output
  }

  /// The stage at which the error occurred.
  public let stage: Stage
  /// The reason for the error, with its details.
  public let reason: Reason
  /// The name of the layer being processed, if any.
  public var layer: String?
  /// The bundle or file being processed, if known.
  public var file: String?
  /// The index of the batch item being processed, if any.
  public var item: Int?

  /// Creates an error.
  public init(_ stage: Stage, _ reason: Reason, layer: String? = nil, file: String? = nil) {
    self.stage = stage
    self.reason = reason
    self.layer = layer
    self.file = file
  }

  /// Returns a copy with the layer set, unless the error already names one.
  public func at(layer name: String) -> ModelError {
    var error = self
    error.layer = layer ?? name
    return error
  }

  /// Returns a copy with the file set, unless the error already names one.
  public func `in`(file path: String) -> ModelError {
    var error = self
    error.file = file ?? path
    return error
  }
}

extension ModelError {
  /// Returns a copy with the batch item set, unless the error already names one.
  public func at(item index: Int) -> ModelError {
    var error = self
    error.item = item ?? index
    return error
  }
}

extension ModelError {
  /// The reason for an error, with its details.
  @nonexhaustive
  public enum Reason: Sendable, Equatable {
    // The folder and its description.
    case missingBundle
    case notABundle(found: String)
    case missingFile(String)
    case unreadableFile(String, detail: String)
    case oversizedFile(String, bytes: Int, limit: Int)
    case invalidDescription([Diagnostic])
    case unsafeName(String)
    case bundleChanged
    /// The bundle does not have the ``ModelInterface`` that typed code was generated for.
    case interfaceChanged(_ changes: [String])
    case invalidArchive(code: String, detail: String)
    case missingFolder
    case noBundles
    case unknownBundle(String, known: [String])
    case unsupported(String)
    case unmetRequirement(String)
    case layerMismatch(what: String, first: [String], second: [String])

    // The runtime.
    case unknownBackend(BackendIdentifier, known: [BackendIdentifier])
    case unknownClass(String, registered: [String])
    case runtimeMissing(MissingRuntime)
    case modelRejected(detail: String)
    case missingOperators([String])
    case untrustedOperators([String], node: String)

    // Trust and integrity.
    case manifestMismatch(detail: String)
    case unsignedBundle
    case untrustedKey(String)
    case invalidSignature(detail: String)
    case bundleDowngrade(version: String, installed: String)
    case unverifiable(code: String, detail: String)

    // The application's values.
    case inputNames(missing: [String], unexpected: [String], declared: [String])
    case inputCount(expected: Int, actual: Int)
    /// Values for variables of a model that lack trainable ones or name unknown ones.
    case weightNames(missing: [String], unexpected: [String])
    case unknownPlaceholder(String, known: [String])
    case labelOutOfRange(value: Int, count: Int)
    case wrongCount(expected: Int, actual: Int)
    case wrongByteCount(expected: Int, actual: Int)
    case wrongShape(expected: String, actual: String)
    case wrongType(expected: String, actual: String)
    case outOfRange(value: String, type: ElementType)
    case image(ImageError)
    case audio(AudioError)
    case invalidJSON(JSONError)
    case invalidValue(String)
    case invalidData([Diagnostic])

    // Execution and results.
    case callFailed(function: String, status: Int, message: String)
    case unknownOutput(String, known: [String])
    case failed(String)
    case lossNotFinite(step: Int, value: String)
    case unwritable(String, detail: String)
    case alreadyExists(String)
    case checkpointMismatch(what: String, expected: String, actual: String)
    case noCompleteCheckpoint(String, detail: String)
    case timedOut
    /// A run took longer than its limit.
    case runTimedOut(limit: Duration)
    case cancelled

    // The worker process of an isolated model.
    case workerMissing(searched: [String])
    /// The worker executable exists, but the system does not launch it.
    case workerNotLaunched(_ path: String, detail: String)
    case workerCrashed(detail: String)
    case suspended(crashes: Int, seconds: Int)
    case sandboxUnavailable(missing: [String])
  }

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
}

extension ModelError {
  /// The stable, kebab-case identifier of the reason, for use in scripts.
  public var code: String {
    switch reason {
    case .missingBundle: "missing-bundle"
    case .notABundle: "not-a-bundle"
    case .missingFile: "missing-file"
    case .unreadableFile: "unreadable-file"
    case .oversizedFile: "oversized-file"
    case .invalidDescription(let diagnostics):
      diagnostics.errorsOrAll.first?.code ?? "invalid-description"
    case .unsafeName: "unsafe-name"
    case .bundleChanged: "bundle-changed"
    case .interfaceChanged: "interface-changed"
    case .invalidArchive(let code, _): code
    case .missingFolder: "missing-folder"
    case .noBundles: "no-bundles"
    case .unknownBundle: "unknown-bundle"
    case .unsupported, .unmetRequirement: "unsupported"
    case .layerMismatch: "layer-mismatch"
    case .unknownBackend: "unknown-backend"
    case .unknownClass: "unknown-class"
    case .runtimeMissing: "runtime-missing"
    case .modelRejected: "model-rejected"
    case .missingOperators: "missing-operators"
    case .untrustedOperators: "untrusted-operators"
    case .manifestMismatch: "manifest-mismatch"
    case .unsignedBundle: "unsigned-bundle"
    case .untrustedKey: "untrusted-key"
    case .invalidSignature: "invalid-signature"
    case .bundleDowngrade: "bundle-downgrade"
    case .unverifiable(let code, _): code
    case .inputNames: "input-names"
    case .inputCount: "input-count"
    case .weightNames: "weight-names"
    case .unknownPlaceholder: "unknown-placeholder"
    case .labelOutOfRange: "label-out-of-range"
    case .wrongCount: "wrong-count"
    case .wrongByteCount: "wrong-byte-count"
    case .wrongShape: "wrong-shape"
    case .wrongType: "wrong-type"
    case .outOfRange: "out-of-range"
    case .image(let error): error.code
    case .audio(let error): error.code
    case .invalidJSON: "invalid-json"
    case .invalidValue: "invalid-value"
    case .invalidData(let diagnostics): diagnostics.first?.code ?? "invalid-data"
    case .callFailed: "call-failed"
    case .unknownOutput: "unknown-output"
    case .failed: "failed"
    case .lossNotFinite: "loss-not-finite"
    case .unwritable: "unwritable"
    case .alreadyExists: "already-exists"
    case .checkpointMismatch: "checkpoint-mismatch"
    case .noCompleteCheckpoint: "no-complete-checkpoint"
    case .timedOut: "timed-out"
    case .runTimedOut: "run-timed-out"
    case .cancelled: "cancelled"
    case .workerMissing: "worker-missing"
    case .workerNotLaunched: "worker-not-launched"
    case .workerCrashed: "worker-crashed"
    case .suspended: "model-suspended"
    case .sandboxUnavailable: "sandbox-unavailable"
    }
  }
}

extension FileBytes {
  /// Reads all bytes of a file, up to a limit.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The name used in error messages; the path if `nil`.
  ///   - limit: The maximum number of bytes.
  ///   - kinds: The kinds of files that may be read.
  ///   - stage: The stage of errors.
  /// - Returns: The bytes.
  /// - Throws: ``ModelError`` if the file does not exist, is too large or cannot be read.
  package static func read(
    _ path: String, named name: String? = nil, limit: Int,
    _ kinds: ReadableFile.AllowedKinds = .regularFilesOnly, stage: ModelError.Stage = .bundle
  ) throws(ModelError) -> [UInt8] {
    do {
      return try contents(of: path, limit: limit, kinds)
    } catch {
      throw ModelError(stage, error.reason(named: name ?? path))
    }
  }
}

extension FileError {
  /// Returns the error as the reason of a ``ModelError``.
  package func reason(named name: String) -> ModelError.Reason {
    switch self {
    case .notFound: .missingFile(name)
    case .nulInPath: .unsafeName(name)
    case .oversized(let bytes, let limit): .oversizedFile(name, bytes: bytes, limit: limit)
    case .notARegularFile, .truncated, .system: .unreadableFile(name, detail: message)
    }
  }
}
