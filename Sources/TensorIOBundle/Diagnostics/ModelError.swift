public import TensorIOImage
public import TensorIOJSON
package import TensorIOSystem

/// What went wrong, and at which stage of a model's way from a folder to an answer.
///
/// The stage decides the exit code of a command and the status of a response; the reason carries
/// the evidence as data; the words are in `ModelError+Description.swift`.
public struct ModelError: Error, Sendable, Equatable {
  /// The stage at which a model failed.
  public enum Stage: String, Sendable, CaseIterable {
    /// The folder or its description.
    case bundle
    /// The library that runs the model: missing, or it refuses the model.
    case runtime
    /// The application's values on their way to tensors.
    case input
    /// The computation.
    case run
    /// Tensors on their way to the application's values.
    case output
  }

  /// The stage at which it failed.
  public let stage: Stage
  /// What went wrong, with its evidence.
  public let reason: Reason
  /// The layer being worked on, where there is one.
  public var layer: String?
  /// The bundle or file being worked on, where it is known.
  public var file: String?
  /// The item of a batch being worked on, from 0, where there is one.
  public var item: Int?

  /// An error at a stage.
  public init(_ stage: Stage, _ reason: Reason, layer: String? = nil, file: String? = nil) {
    self.stage = stage
    self.reason = reason
    self.layer = layer
    self.file = file
  }

  /// The same error, told of the layer it concerns.
  public func at(layer name: String) -> ModelError {
    var error = self
    error.layer = layer ?? name
    return error
  }

  /// The same error, told of the file it concerns.
  public func `in`(file path: String) -> ModelError {
    var error = self
    error.file = file ?? path
    return error
  }
}

extension ModelError {
  /// The same error, told of the item of a batch that it concerns.
  public func at(item index: Int) -> ModelError {
    var error = self
    error.item = item ?? index
    return error
  }
}

extension ModelError {
  /// What went wrong, with the evidence.
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
    case invalidArchive(code: String, detail: String)
    case missingFolder
    case noBundles
    case unknownBundle(String, known: [String])
    case unsupported(String)
    case layerMismatch(what: String, first: [String], second: [String])

    // The runtime.
    case unknownBackend(BackendIdentifier, known: [BackendIdentifier])
    case unknownClass(String, registered: [String])
    case runtimeMissing(MissingRuntime)
    case modelRejected(detail: String)
    case missingOperators([String])
    case untrustedOperators([String], node: String)

    // Whose the bundle is, and whether it is as it was.
    case manifestMismatch(detail: String)
    case unsignedBundle
    case untrustedKey(String)
    case invalidSignature(detail: String)
    case bundleDowngrade(version: String, installed: String)
    case unverifiable(code: String, detail: String)

    // The application's values.
    case inputNames(missing: [String], unexpected: [String], declared: [String])
    case inputCount(expected: Int, actual: Int)
    case unknownPlaceholder(String, known: [String])
    case labelOutOfRange(value: Int, count: Int)
    case wrongCount(expected: Int, actual: Int)
    case wrongByteCount(expected: Int, actual: Int)
    case wrongShape(expected: String, actual: String)
    case wrongType(expected: String, actual: String)
    case outOfRange(value: String, type: ElementType)
    case image(ImageError)
    case invalidJSON(JSONError)
    case invalidValue(String)
    case invalidData([Diagnostic])

    // The computation and its results.
    case callFailed(function: String, status: Int, message: String)
    case unknownOutput(String, known: [String])
    case failed(String)
    case lossNotFinite(step: Int, value: String)
    case unwritable(String, detail: String)
    case alreadyExists(String)
    case checkpointMismatch(what: String, expected: String, actual: String)
    case noCompleteCheckpoint(String, detail: String)
    case timedOut
    case cancelled

    // The worker process of an isolated model.
    case workerMissing(searched: [String])
    case workerCrashed(detail: String)
    case suspended(crashes: Int, seconds: Int)
    case sandboxUnavailable(missing: [String])
  }

  /// Why a runtime's library could not be opened.
  public struct MissingRuntime: Sendable, Hashable {
    /// The runtime that is wanted.
    public let backend: BackendIdentifier
    /// What was tried or found wanting, one line each.
    public let searchResults: [String]
    /// The command that puts it right.
    public let installCommand: String

    /// A missing runtime.
    public init(backend: BackendIdentifier, searchResults: [String], installCommand: String) {
      self.backend = backend
      self.searchResults = searchResults
      self.installCommand = installCommand
    }
  }
}

extension ModelError {
  /// The short name of the reason, for scripts: kebab-case, and never changed once published.
  public var code: String {
    switch reason {
    case .missingBundle: "missing-bundle"
    case .notABundle: "not-a-bundle"
    case .missingFile: "missing-file"
    case .unreadableFile: "unreadable-file"
    case .oversizedFile: "oversized-file"
    case .invalidDescription(let problems): problems.first?.code ?? "invalid-description"
    case .unsafeName: "unsafe-name"
    case .bundleChanged: "exchanged-bundle"
    case .invalidArchive(let code, _): code
    case .missingFolder: "missing-folder"
    case .noBundles: "no-bundles"
    case .unknownBundle: "unknown-bundle"
    case .unsupported: "unsupported"
    case .layerMismatch: "layers-differ"
    case .unknownBackend: "unknown-backend"
    case .unknownClass: "unknown-class"
    case .runtimeMissing: "runtime-missing"
    case .modelRejected: "model-refused"
    case .missingOperators: "missing-operators"
    case .untrustedOperators: "untrusted-operators"
    case .manifestMismatch: "altered-bundle"
    case .unsignedBundle: "unsigned-bundle"
    case .untrustedKey: "untrusted-key"
    case .invalidSignature: "bad-signature"
    case .bundleDowngrade: "older-bundle"
    case .unverifiable(let code, _): code
    case .inputNames: "input-names"
    case .inputCount: "input-count"
    case .unknownPlaceholder: "unknown-placeholder"
    case .labelOutOfRange: "label-out-of-range"
    case .wrongCount: "wrong-count"
    case .wrongByteCount: "wrong-byte-count"
    case .wrongShape: "wrong-shape"
    case .wrongType: "wrong-type"
    case .outOfRange: "out-of-range"
    case .image(let error): error.code
    case .invalidJSON: "invalid-json"
    case .invalidValue: "unreadable-value"
    case .invalidData(let problems): problems.first?.code ?? "invalid-data"
    case .callFailed: "call-failed"
    case .unknownOutput: "unknown-output"
    case .failed: "failed"
    case .lossNotFinite: "loss-not-finite"
    case .unwritable: "unwritable"
    case .alreadyExists: "already-there"
    case .checkpointMismatch: "checkpoint-differs"
    case .noCompleteCheckpoint: "no-whole-checkpoint"
    case .timedOut: "timed-out"
    case .cancelled: "cancelled"
    case .workerMissing: "worker-missing"
    case .workerCrashed: "worker-lost"
    case .suspended: "put-aside"
    case .sandboxUnavailable: "not-sandboxed"
    }
  }
}

extension FileBytes {
  /// All bytes of a file, as large as it may be and no larger.
  ///
  /// Messages call it by its name, or by its path when there is no better name; a failure is one
  /// of the stage that wants the file.
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
  /// The fault as the pipeline tells it.
  package func reason(named name: String) -> ModelError.Reason {
    switch self {
    case .notFound: .missingFile(name)
    case .nulInPath: .unsafeName(name)
    case .oversized(let bytes, let limit): .oversizedFile(name, bytes: bytes, limit: limit)
    case .notARegularFile, .truncated, .system: .unreadableFile(name, detail: message)
    }
  }
}
