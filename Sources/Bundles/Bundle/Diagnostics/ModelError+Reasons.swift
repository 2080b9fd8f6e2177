import TensorIOJSON

// MARK: The folder and its description

extension ModelError {
  /// There is no bundle at the path.
  public static let missingBundle = Code("missing-bundle")
  /// The path is neither a folder with a `model.json` nor an archive of one.
  public static let notABundle = Code("not-a-bundle")
  /// A file does not exist.
  public static let missingFile = Code("missing-file")
  /// A file cannot be read.
  public static let unreadableFile = Code("unreadable-file")
  /// A file is larger than the limit.
  public static let oversizedFile = Code("oversized-file")
  /// A description has errors, which ``ModelError/diagnostics`` lists.
  public static let invalidDescription = Code("invalid-description", topic: .document)
  /// A path leaves the bundle.
  public static let unsafeName = Code("unsafe-name")
  /// The bundle's files changed after it was opened.
  public static let bundleChanged = Code("bundle-changed", .unavailable)
  /// The bundle does not have the ``ModelInterface`` that typed code was generated for.
  public static let interfaceChanged = Code("interface-changed")
  /// There is no folder at the path.
  public static let missingFolder = Code("missing-folder")
  /// The folder contains no bundles.
  public static let noBundles = Code("no-bundles")
  /// The library has no bundle with the name.
  public static let unknownBundle = Code("unknown-bundle", .notFound)
  /// The library, the runtime or this system does not support something.
  public static let unsupported = Code("unsupported")
  /// Two models that are compared have different inputs or outputs.
  public static let layerMismatch = Code("layer-mismatch")
}

extension ModelError.Reason {
  /// A path without a bundle.
  public static var missingBundle: Self { Self(ModelError.missingBundle, "no such bundle") }

  package static func notABundle(found: String) -> Self {
    Self(ModelError.notABundle, "expected a folder with a model.json, found \(found, as: "found")")
  }

  /// A file that does not exist.
  public static func missingFile(_ name: String) -> Self {
    Self(ModelError.missingFile, "no such file '\(name, as: "name")'")
  }

  /// A file that cannot be read.
  public static func unreadableFile(_ name: String, detail: String) -> Self {
    Self(ModelError.unreadableFile, "cannot read '\(name, as: "name")': \(detail, as: "detail")")
  }

  package static func oversizedFile(_ name: String, bytes: Int, limit: Int) -> Self {
    Self(
      ModelError.oversizedFile,
      "'\(name, as: "name")' has \(bytes, as: "bytes") bytes; the limit is \(limit, as: "limit")")
  }

  package static func invalidDescription(_ diagnostics: [Diagnostic]) -> Self {
    Self(
      ModelError.invalidDescription,
      .first(of: diagnostics.errorsOrAll, "the description is invalid"), diagnostics: diagnostics)
  }

  package static func unsafeName(_ name: String) -> Self {
    Self(
      ModelError.unsafeName,
      "invalid path '\(name, as: "name")'; a path must stay inside the bundle")
  }

  package static var bundleChanged: Self {
    Self(
      ModelError.bundleChanged, "the bundle changed on disk after it was opened; open it again",
      clientMessage: "the model is being replaced; try again")
  }

  package static func interfaceChanged(_ changes: [String]) -> Self {
    Self(
      ModelError.interfaceChanged,
      ModelError.Message(
        "the bundle does not fit the type that was generated for it: \(changes.joined(separator: ", ")); generate the type again",
        details: [.init("changes", .strings(changes))]))
  }

  package static var missingFolder: Self { Self(ModelError.missingFolder, "no such folder") }

  package static var noBundles: Self {
    Self(ModelError.noBundles, "the folder contains no bundles")
  }

  package static func unknownBundle(_ name: String, known: [String]) -> Self {
    let hint = Spelling.closestMatch(to: name, among: known).map { "did you mean '\($0)'?" }
    return Self(
      ModelError.unknownBundle,
      ModelError.Message(
        "no bundle named '\(name)'; " + (hint ?? "available: \(known.quotedList)"),
        details: [.init("name", .string(name)), .init("known", .strings(known))]),
      clientMessage: "unknown model")
  }

  /// Something that the library, the runtime or this system does not support.
  public static func unsupported(_ what: String) -> Self {
    Self(ModelError.unsupported, "\(what, as: "feature") is not supported")
  }

  /// Something requires a condition that is not met; the message states it.
  package static func unmetRequirement(_ requirement: ModelError.Message) -> Self {
    Self(ModelError.unsupported, requirement)
  }

  package static func layerMismatch(what: String, first: [String], second: [String]) -> Self {
    let lists = [first, second].map { $0.isEmpty ? "none" : $0.joined(separator: ", ") }
    return Self(
      ModelError.layerMismatch,
      ModelError.Message(
        "the models' \(what) differ: \(lists[0]) and \(lists[1])",
        details: [.init("first", .strings(first)), .init("second", .strings(second))]))
  }

  /// An archive, or a bundle's folder, that breaks a rule for archives.
  package static func invalidArchive(code: String, detail: String) -> Self {
    Self(ModelError.Code(code, topic: .archive), ModelError.Message(detail))
  }
}

// MARK: The runtime

extension ModelError {
  /// No runtime is registered with the identifier.
  public static let unknownBackend = Code("unknown-backend")
  /// The bundle requires a model class that the application does not register.
  public static let unknownClass = Code("unknown-class")
  /// The library of the runtime cannot be opened; ``ModelError/missingRuntime`` says where it was searched.
  public static let runtimeMissing = Code("runtime-missing", .unavailable)
  /// The runtime does not accept the model.
  public static let modelRejected = Code("model-rejected")
  /// The runtime lacks operators that the model uses.
  public static let missingOperators = Code("missing-operators")
  /// The model uses operators that untrusted models must not use.
  public static let untrustedOperators = Code("untrusted-operators")
}

extension ModelError.Reason {
  package static func unknownBackend(
    _ backend: BackendIdentifier, known: [BackendIdentifier]
  ) -> Self {
    let names: [String] = known.map(\.rawValue)
    return Self(
      ModelError.unknownBackend,
      "unknown backend '\(backend.rawValue, as: "backend")'; available: \(names, as: "known")")
  }

  package static func unknownClass(_ name: String, registered: [String]) -> Self {
    Self(
      ModelError.unknownClass,
      """
      no model class '\(name, as: "class")' is registered; registered: \(registered, as: "registered")
      """)
  }

  package static func runtimeMissing(_ runtime: ModelError.MissingRuntime) -> Self {
    let results = runtime.searchResults
    let name = runtime.backend.rawValue
    return Self(
      ModelError.runtimeMissing,
      ModelError.Message(
        "the \(name) runtime is not installed: \(results.joined(separator: "; ")); \(runtime.recoverySuggestion)",
        details: [
          .init("backend", .string(name)), .init("searched", .strings(results)),
          .init("suggestion", .string(runtime.recoverySuggestion)),
        ]),
      clientMessage: "the \(name) runtime is not installed; see the server log")
  }

  /// A model that the runtime does not accept.
  public static func modelRejected(detail: String) -> Self {
    Self(ModelError.modelRejected, "the runtime rejected the model: \(detail, as: "detail")")
  }

  package static func missingOperators(_ names: [String]) -> Self {
    Self(
      ModelError.missingOperators,
      "the runtime lacks operators used by the model: \(names, as: "operators")")
  }

  package static func untrustedOperators(_ names: [String], node: String) -> Self {
    Self(
      ModelError.untrustedOperators,
      "the model uses operators outside the allow-list: \(names, as: "operators") (at '\(node, as: "node")')"
    )
  }
}

// MARK: Trust and integrity

extension ModelError {
  /// The bundle's files are not those of its manifest.
  public static let manifestMismatch = Code("manifest-mismatch", topic: .trust)
  /// A signature is required, and the bundle has none.
  public static let unsignedBundle = Code("unsigned-bundle", topic: .trust)
  /// A signature is that of a key that is not trusted.
  public static let untrustedKey = Code("untrusted-key", topic: .trust)
  /// A signature is malformed or does not match.
  public static let invalidSignature = Code("invalid-signature", topic: .trust)
  /// The version is older than one that was opened before.
  public static let bundleDowngrade = Code("bundle-downgrade", topic: .trust)
}

extension ModelError.Reason {
  package static func manifestMismatch(detail: String) -> Self {
    Self(
      ModelError.manifestMismatch, "the bundle does not match its manifest: \(detail, as: "detail")"
    )
  }

  package static var unsignedBundle: Self {
    Self(ModelError.unsignedBundle, "the bundle is not signed; a signature is required")
  }

  package static func untrustedKey(_ key: String) -> Self {
    Self(ModelError.untrustedKey, "the signature's key \(key, as: "key") is not trusted")
  }

  package static func invalidSignature(detail: String) -> Self {
    Self(ModelError.invalidSignature, "the signature is invalid: \(detail, as: "detail")")
  }

  package static func bundleDowngrade(version: String, installed: String) -> Self {
    Self(
      ModelError.bundleDowngrade,
      "version '\(version, as: "version")' is older than version '\(installed, as: "installed")', which was opened before"
    )
  }
}

// MARK: Execution and results

extension ModelError {
  /// A function of a runtime's library failed.
  public static let callFailed = Code("call-failed")
  /// The model has no output with the name.
  public static let unknownOutput = Code("unknown-output")
  /// An operation failed; the message says why.
  public static let failed = Code("failed")
  /// A file cannot be written.
  public static let unwritable = Code("unwritable")
  /// A file or folder exists and is not overwritten.
  public static let alreadyExists = Code("already-exists")
  /// No session of the model became free in time.
  public static let timedOut = Code("timed-out", .unavailable)
  /// A run took longer than its limit.
  public static let runTimedOut = Code("run-timed-out", .unavailable)
  /// The task that waited, or the run, was canceled.
  public static let cancelled = Code("cancelled", .unavailable)
}

extension ModelError.Reason {
  /// A function of a runtime's library that failed.
  public static func callFailed(function: String, status: Int, message: String) -> Self {
    Self(
      ModelError.callFailed,
      ModelError.Message(
        "\(function) failed with status \(status)" + (message.isEmpty ? "" : ": \(message)"),
        details: [
          .init("function", .string(function)), .init("status", .integer(Int64(status))),
          .init("message", .string(message)),
        ]))
  }

  package static func unknownOutput(_ name: String, known: [String]) -> Self {
    Self(
      ModelError.unknownOutput,
      "unknown output '\(name, as: "name")'; outputs: \(known, as: "known")")
  }

  /// An operation that failed; the message says why.
  public static func failed(_ message: ModelError.Message) -> Self {
    Self(ModelError.failed, message)
  }

  package static func unwritable(_ path: String, detail: String) -> Self {
    Self(ModelError.unwritable, "cannot write '\(path, as: "path")': \(detail, as: "detail")")
  }

  package static func alreadyExists(_ path: String) -> Self {
    Self(ModelError.alreadyExists, "'\(path, as: "path")' already exists")
  }

  package static var timedOut: Self {
    Self(
      ModelError.timedOut, "timed out waiting for a free session",
      clientMessage: "the model was busy for too long")
  }

  package static func runTimedOut(limit: Duration) -> Self {
    Self(
      ModelError.runTimedOut, "the run exceeded its time limit of \(limit, as: "limit")",
      clientMessage: "the model exceeded the time limit of a run")
  }

  package static var cancelled: Self { Self(ModelError.cancelled, "cancelled") }
}

// MARK: Training

extension ModelError {
  /// The loss is NaN or infinite.
  public static let lossNotFinite = Code("loss-not-finite")
  /// A checkpoint is that of another model or other data.
  public static let checkpointMismatch = Code("checkpoint-mismatch")
  /// A folder has checkpoints, and none of them is complete.
  public static let noCompleteCheckpoint = Code("no-complete-checkpoint")
}

extension ModelError.Reason {
  package static func lossNotFinite(step: Int, value: String) -> Self {
    Self(
      ModelError.lossNotFinite,
      "the loss is \(value, as: "value") after step \(step, as: "step"); the weights after this step are invalid"
    )
  }

  package static func checkpointMismatch(what: String, expected: String, actual: String) -> Self {
    Self(
      ModelError.checkpointMismatch,
      "the checkpoint does not match: \(what, as: "what") is \(actual, as: "actual"), the checkpoint has \(expected, as: "expected")"
    )
  }

  package static func noCompleteCheckpoint(_ path: String, detail: String) -> Self {
    Self(
      ModelError.noCompleteCheckpoint,
      "no complete checkpoint in '\(path, as: "path")': \(detail, as: "detail")")
  }
}

// MARK: The worker process of an isolated model

extension ModelError {
  /// The executable of the worker process is not installed.
  public static let workerMissing = Code("worker-missing", .unavailable)
  /// The executable of the worker process exists, but the system does not launch it.
  public static let workerNotLaunched = Code("worker-not-launched", .unavailable)
  /// The worker process ended, or did not respond in time.
  public static let workerCrashed = Code("worker-crashed", .unavailable)
  /// The model is not run for a time, because its worker process crashed repeatedly.
  public static let suspended = Code("model-suspended", .unavailable)
  /// The system does not provide what a sandbox needs.
  public static let sandboxUnavailable = Code("sandbox-unavailable", .unavailable)
}

extension ModelError.Reason {
  package static func workerMissing(searched: [String]) -> Self {
    Self(
      ModelError.workerMissing,
      "tensorio-worker not found; searched \(searched, as: "searched"); install it next to the program, or set TENSORIO_WORKER to its path"
    )
  }

  package static func workerNotLaunched(_ path: String, detail: String) -> Self {
    Self(
      ModelError.workerNotLaunched,
      "the worker process '\(path, as: "path")' cannot be launched: \(detail, as: "detail")")
  }

  package static func workerCrashed(detail: String) -> Self {
    Self(
      ModelError.workerCrashed, "the worker process \(detail, as: "detail")",
      clientMessage: "the model's worker process crashed or timed out; try again")
  }

  package static func suspended(crashes: Int, seconds: Int) -> Self {
    Self(
      ModelError.suspended,
      "the model is suspended after \(crashes, as: "crashes") worker crashes within \(seconds, as: "seconds") seconds",
      clientMessage: "the model is temporarily suspended after repeated crashes")
  }

  package static func sandboxUnavailable(missing: [String]) -> Self {
    Self(
      ModelError.sandboxUnavailable,
      ModelError.Message(
        "no sandbox is available: \(missing.joined(separator: "; "))",
        details: [.init("missing", .strings(missing))]))
  }
}
