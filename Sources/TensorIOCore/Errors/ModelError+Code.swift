internal import TensorIOImage

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
    case .exchangedBundle: "exchanged-bundle"
    case .invalidArchive(let code, _): code
    case .missingFolder: "missing-folder"
    case .noBundles: "no-bundles"
    case .unknownBundle: "unknown-bundle"
    case .unsupported: "unsupported"
    case .layersDiffer: "layers-differ"
    case .unknownBackend: "unknown-backend"
    case .unknownClass: "unknown-class"
    case .runtimeMissing: "runtime-missing"
    case .modelRefused: "model-refused"
    case .missingOperators: "missing-operators"
    case .untrustedOperators: "untrusted-operators"
    case .alteredBundle: "altered-bundle"
    case .unsignedBundle: "unsigned-bundle"
    case .untrustedKey: "untrusted-key"
    case .badSignature: "bad-signature"
    case .olderBundle: "older-bundle"
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
    case .picture(let error): error.code
    case .invalidJSON: "invalid-json"
    case .unreadableValue: "unreadable-value"
    case .invalidData(let problems): problems.first?.code ?? "invalid-data"
    case .callFailed: "call-failed"
    case .unknownOutput: "unknown-output"
    case .failed: "failed"
    case .lossNotFinite: "loss-not-finite"
    case .unwritable: "unwritable"
    case .alreadyThere: "already-there"
    case .checkpointDiffers: "checkpoint-differs"
    case .noWholeCheckpoint: "no-whole-checkpoint"
    case .timedOut: "timed-out"
    case .cancelled: "cancelled"
    case .workerMissing: "worker-missing"
    case .workerLost: "worker-lost"
    case .putAside: "put-aside"
    case .notSandboxed: "not-sandboxed"
    }
  }
}
