import TensorIOAudio
import TensorIOImage

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelError: CustomStringConvertible, LocalizedError {
  /// The description, which `localizedDescription` returns.
  public var errorDescription: String? { description }

  /// The error on one line: file, item, layer and message.
  public var description: String {
    let item = item.map { "item \($0 &+ 1)" }
    let location = [file, item, layer.map { "layer '\($0)'" }].compactMap(\.self)
    return (location + [message]).joined(separator: ": ").withoutLineBreaks
  }

  /// The message, without the location.
  public var message: String {
    switch reason {
    case .missingBundle: "no such bundle"
    case .notABundle(let found): "expected a folder with a model.json, found \(found)"
    case .missingFile(let name):
      stage == .bundle ? "the bundle has no file '\(name)'" : "no such file '\(name)'"
    case .unreadableFile(let name, let detail): "cannot read '\(name)': \(detail)"
    case .oversizedFile(let name, let bytes, let limit):
      "'\(name)' has \(bytes) bytes; the limit is \(limit)"
    case .invalidDescription(let diagnostics): Self.message(diagnostics)
    case .unsafeName(let name): "invalid path '\(name)'; a path must stay inside the bundle"
    case .bundleChanged: "the bundle changed on disk after it was opened; open it again"
    case .interfaceChanged(let changes):
      "the bundle does not fit the type that was generated for it: "
        + "\(changes.joined(separator: ", ")); generate the type again"
    case .invalidArchive(_, let detail): detail
    case .missingFolder: "no such folder"
    case .noBundles: "the folder contains no bundles"
    case .unknownBundle(let name, let known): Self.message(unknown: name, known: known)
    case .unsupported(let what): "\(what) is not supported"
    case .unmetRequirement(let requirement): requirement
    case .layerMismatch(let what, let first, let second): Self.message(what, first, second)
    case .unknownBackend(let backend, let known):
      "unknown backend '\(backend)'; available: \(Self.list(known.map(\.rawValue)))"
    case .unknownClass(let name, let registered):
      "no model class '\(name)' is registered; registered: \(Self.list(registered))"
    case .runtimeMissing(let runtime): Self.message(runtime)
    case .modelRejected(let detail): "the runtime rejected the model: \(detail)"
    case .missingOperators(let names):
      "the runtime lacks operators used by the model: \(Self.list(names))"
    case .untrustedOperators(let names, let node):
      "the model uses operators outside the allow-list: \(Self.list(names)) (at '\(node)')"
    case .callFailed(let function, let status, let text):
      "\(function) failed with status \(status)" + (text.isEmpty ? "" : ": \(text)")
    case .failed(let detail): detail
    case .timedOut: "timed out waiting for a free session"
    case .runTimedOut(let limit): "the run exceeded its time limit of \(limit)"
    case .cancelled: "cancelled"
    default: valueMessage
    }
  }

  private var valueMessage: String {
    switch reason {
    case .inputNames(let missing, let unexpected, let declared):
      Self.message(missing: missing, unexpected: unexpected, declared: declared)
    case .inputCount(let expected, let actual):
      "expected \(Self.inputs(expected)), got \(actual)"
    case .weightNames(let missing, let unexpected):
      [("no values for the variables", missing), ("unknown variables", unexpected)]
        .filter { !$0.1.isEmpty }.map { "\($0.0) \(Self.list($0.1))" }.joined(separator: "; ")
    case .unknownPlaceholder(let name, let known):
      "unknown placeholder '\(name)'; placeholders: \(Self.list(known))"
    case .labelOutOfRange(let value, let count):
      "label \(value) is out of range; expected 0 to \(count - 1)"
    case .wrongCount(let expected, let actual): "expected \(Self.values(expected)), got \(actual)"
    case .wrongByteCount(let expected, let actual): "expected \(expected) bytes, got \(actual)"
    case .wrongShape(let expected, let actual): "expected shape \(expected), got \(actual)"
    case .wrongType(let expected, let actual): "expected \(expected), got \(actual)"
    case .outOfRange(let value, let type): "\(value) is out of range for \(type)"
    case .image(let error): error.description
    case .audio(let error): error.description
    case .invalidJSON(let error): "invalid JSON: \(error)"
    case .invalidValue(let detail): detail
    case .invalidData(let diagnostics): Self.message(data: diagnostics)
    case .unknownOutput(let name, let known):
      "unknown output '\(name)'; outputs: \(Self.list(known))"
    default: trainingMessage
    }
  }

  private var trainingMessage: String {
    switch reason {
    case .lossNotFinite(let step, let value):
      "the loss is \(value) after step \(step); the weights after this step are invalid"
    case .unwritable(let path, let detail): "cannot write '\(path)': \(detail)"
    case .alreadyExists(let path): "'\(path)' already exists"
    case .checkpointMismatch(let what, let expected, let actual):
      "the checkpoint does not match: \(what) is \(actual), the checkpoint has \(expected)"
    case .noCompleteCheckpoint(let path, let detail):
      "no complete checkpoint in '\(path)': \(detail)"
    default: trustMessage
    }
  }

  private var trustMessage: String {
    switch reason {
    case .manifestMismatch(let detail): "the bundle does not match its manifest: \(detail)"
    case .unsignedBundle: "the bundle is not signed; a signature is required"
    case .untrustedKey(let key):
      "the bundle is signed with key \(key), which is not trusted"
    case .invalidSignature(let detail): "the bundle's signature is invalid: \(detail)"
    case .bundleDowngrade(let version, let installed):
      "version '\(version)' is older than version '\(installed)', which was opened before"
    case .unverifiable(_, let detail): detail
    default: workerMessage
    }
  }

  private var workerMessage: String {
    switch reason {
    case .workerMissing(let searched):
      "tensorio-worker not found; searched \(Self.list(searched)); install it next to the "
        + "program, or set TENSORIO_WORKER to its path"
    case .workerNotLaunched(let path, let detail):
      "the worker process '\(path)' cannot be launched: \(detail)"
    case .workerCrashed(let detail): "the worker process \(detail)"
    case .suspended(let crashes, let seconds):
      "the model is suspended after \(crashes) worker crashes within \(seconds) seconds"
    case .sandboxUnavailable(let missing):
      "no sandbox is available: \(missing.joined(separator: "; "))"
    default: code
    }
  }
}

extension ModelError {
  private static func message(_ diagnostics: [Diagnostic]) -> String {
    let errors = diagnostics.errorsOrAll
    guard let first = errors.first else { return "the description is invalid" }
    return first.description + (errors.count > 1 ? " (and \(errors.count - 1) more)" : "")
  }

  private static func message(data diagnostics: [Diagnostic]) -> String {
    guard let first = diagnostics.first else { return "the data is invalid" }
    return first.description + (diagnostics.count > 1 ? " (and \(diagnostics.count - 1) more)" : "")
  }

  private static func message(_ runtime: MissingRuntime) -> String {
    let results = runtime.searchResults.joined(separator: "; ")
    return "the \(runtime.backend) runtime is not installed: \(results); "
      + runtime.recoverySuggestion
  }

  private static func message(
    missing: [String], unexpected: [String], declared: [String]
  ) -> String {
    let parts = [
      missing.isEmpty ? nil : "missing inputs \(list(missing))",
      unexpected.isEmpty ? nil : "unexpected inputs \(list(unexpected))",
    ]
    return parts.compactMap(\.self).joined(separator: ", ") + "; expected inputs \(list(declared))"
  }

  private static func message(unknown name: String, known: [String]) -> String {
    let hint = Spelling.closestMatch(to: name, among: known).map { "did you mean '\($0)'?" }
    return "no bundle named '\(name)'; " + (hint ?? "available: \(list(known))")
  }

  private static func message(_ what: String, _ first: [String], _ second: [String]) -> String {
    let texts = [first, second].map { layers in
      layers.isEmpty ? "none" : layers.joined(separator: ", ")
    }
    return "the models' \(what) differ: \(texts[0]) and \(texts[1])"
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.map { "'\($0)'" }.joined(separator: ", ")
  }

  private static func values(_ count: Int) -> String {
    count == 1 ? "1 value" : "\(count) values"
  }

  private static func inputs(_ count: Int) -> String {
    count == 1 ? "1 input" : "\(count) inputs"
  }
}

extension Diagnostic: CustomStringConvertible {
  /// The diagnostic on one line: location, message and suggestion.
  public var description: String {
    let location = line.map { "line \($0), column \(column ?? 1): " } ?? ""
    let pointer = path.isEmpty ? "" : "\(path): "
    let hint = suggestion.map { "; \($0)" } ?? ""
    return (location + pointer + messageWithoutPeriod + expectedAndFound + hint).withoutLineBreaks
  }

  /// The message without the full stop that an application may have written.
  private var messageWithoutPeriod: String {
    message.hasSuffix(".") ? String(message.dropLast()) : message
  }

  /// The expected and found values, unless the message contains them.
  private var expectedAndFound: String {
    let facts = [expected.map { "expected \($0)" }, found.map { "found \($0)" }].compactMap(\.self)
    let isInMessage = expected.map(message.contains) ?? false
    return facts.isEmpty || isInMessage ? "" : " (\(facts.joined(separator: ", ")))"
  }
}

extension String {
  /// The text on one line; names in untrusted files may contain line breaks.
  fileprivate var withoutLineBreaks: String {
    contains(where: \.isNewline) ? String(map { $0.isNewline ? " " : $0 }) : self
  }
}
