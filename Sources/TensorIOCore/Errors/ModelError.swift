public import TensorIOImage

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
    case unreadableFile(String, problem: String)
    case oversizedFile(String, bytes: Int, limit: Int)
    case invalidDescription([Problem])
    case unsafeName(String)
    case exchangedBundle
    case invalidArchive(code: String, problem: String)
    case missingFolder
    case noBundles
    case unknownBundle(String, known: [String])
    case unsupported(String)
    case layersDiffer(what: String, first: [String], second: [String])

    // The runtime.
    case unknownBackend(BackendIdentifier, known: [BackendIdentifier])
    case unknownClass(String, registered: [String])
    case runtimeMissing(RuntimeProblem)
    case modelRefused(problem: String)
    case missingOperators([String])
    case untrustedOperators([String], node: String)

    // Whose the bundle is, and whether it is as it was.
    case alteredBundle(problem: String)
    case unsignedBundle
    case untrustedKey(String)
    case badSignature(problem: String)
    case olderBundle(version: String, seen: String)
    case unverifiable(code: String, problem: String)

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
    case picture(ImageError)
    case invalidJSON(JSONError)
    case unreadableValue(String)
    case invalidData([Problem])

    // The computation and its results.
    case callFailed(function: String, status: Int, message: String)
    case unknownOutput(String, known: [String])
    case failed(String)
    case lossNotFinite(step: Int, value: String)
    case unwritable(String, problem: String)
    case alreadyThere(String)
    case checkpointDiffers(what: String, expected: String, actual: String)
    case noWholeCheckpoint(String, problem: String)
    case timedOut
    case cancelled

    // The worker process of an isolated model.
    case workerMissing(looked: [String])
    case workerLost(how: String)
    case putAside(deaths: Int, seconds: Int)
    case notSandboxed(missing: [String])
  }

  /// Why a runtime's library could not be opened.
  public struct RuntimeProblem: Sendable, Hashable {
    /// The runtime that is wanted.
    public let backend: BackendIdentifier
    /// What was tried or found wanting, one line each.
    public let findings: [String]
    /// The command that puts it right.
    public let fix: String

    /// A missing runtime.
    public init(backend: BackendIdentifier, findings: [String], fix: String) {
      self.backend = backend
      self.findings = findings
      self.fix = fix
    }
  }
}
