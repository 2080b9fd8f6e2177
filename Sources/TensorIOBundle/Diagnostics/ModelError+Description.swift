import TensorIOImage

extension ModelError: CustomStringConvertible {
  /// One line: where, which item and layer, what, and what to do.
  public var description: String {
    let item = item.map { "item \($0 &+ 1)" }
    let place = [file, item, layer.map { "layer '\($0)'" }].compactMap(\.self)
    return (place + [message]).joined(separator: ": ").inOneLine
  }

  /// What went wrong, without the place.
  public var message: String {
    switch reason {
    case .missingBundle: "there is no such bundle"
    case .notABundle(let found): "\(found), but a bundle is a folder that holds a model.json"
    case .missingFile(let name):
      stage == .bundle ? "the bundle has no file '\(name)'" : "there is no file '\(name)'"
    case .unreadableFile(let name, let problem): "cannot read '\(name)': \(problem)"
    case .oversizedFile(let name, let bytes, let limit):
      "'\(name)' has \(bytes) bytes; the limit is \(limit)"
    case .invalidDescription(let problems): Self.message(problems)
    case .unsafeName(let name): "the name '\(name)' leads out of the bundle"
    case .bundleChanged: "another bundle has taken its place since it was opened: open it again"
    case .invalidArchive(_, let problem): problem
    case .missingFolder: "there is no such folder"
    case .noBundles: "there are no bundles in it"
    case .unknownBundle(let name, let known): Self.message(unknown: name, known: known)
    case .unsupported(let what): "\(what) is not supported"
    case .layerMismatch(let what, let first, let second): Self.message(what, first, second)
    case .unknownBackend(let backend, let known):
      "no runtime is called '\(backend)'; known are \(Self.list(known.map(\.rawValue)))"
    case .unknownClass(let name, let registered):
      "no model is registered as '\(name)'; registered are \(Self.list(registered))"
    case .runtimeMissing(let problem): Self.message(problem)
    case .modelRejected(let problem): "the runtime refuses the model: \(problem)"
    case .missingOperators(let names):
      "the runtime does not have operators that the model needs: \(Self.list(names))"
    case .untrustedOperators(let names, let node):
      "the model has operators that may do more than compute: \(Self.list(names)) "
        + "(at '\(node)'); --trust runs it all the same"
    case .callFailed(let function, let status, let text):
      "\(function) failed with status \(status)" + (text.isEmpty ? "" : ": \(text)")
    case .failed(let problem): problem
    case .timedOut: "no session became free in time"
    case .cancelled: "cancelled"
    default: valueMessage
    }
  }

  private var valueMessage: String {
    switch reason {
    case .inputNames(let missing, let unexpected, let declared):
      Self.message(missing: missing, unexpected: unexpected, declared: declared)
    case .inputCount(let expected, let actual):
      "the model takes \(expected) inputs, got \(actual)"
    case .unknownPlaceholder(let name, let known):
      "there is no placeholder '\(name)'; there are \(Self.list(known))"
    case .labelOutOfRange(let value, let count):
      "there is no label \(value); labels are 0 to \(count - 1)"
    case .wrongCount(let expected, let actual): "expected \(Self.values(expected)), got \(actual)"
    case .wrongByteCount(let expected, let actual): "expected \(expected) bytes, got \(actual)"
    case .wrongShape(let expected, let actual): "expected the shape \(expected), got \(actual)"
    case .wrongType(let expected, let actual): "expected \(expected), got \(actual)"
    case .outOfRange(let value, let type): "\(value) is no \(type)"
    case .image(let error): error.description
    case .invalidJSON(let error): "not the JSON that was expected: \(error)"
    case .invalidValue(let what): what
    case .invalidData(let problems): Self.message(data: problems)
    case .unknownOutput(let name, let known):
      "there is no output '\(name)'; there are \(Self.list(known))"
    default: trainingMessage
    }
  }

  private var trainingMessage: String {
    switch reason {
    case .lossNotFinite(let step, let value):
      "the loss is \(value) after step \(step); the weights of that step are of no use"
    case .unwritable(let path, let problem): "cannot write '\(path)': \(problem)"
    case .alreadyExists(let path): "there is something at '\(path)' already"
    case .checkpointMismatch(let what, let expected, let actual):
      "the checkpoint was made with \(what) \(expected), not \(actual)"
    case .noCompleteCheckpoint(let path, let problem):
      "no checkpoint in '\(path)' is whole: \(problem)"
    default: trustMessage
    }
  }

  private var trustMessage: String {
    switch reason {
    case .manifestMismatch(let problem): "the bundle is not as it was made: \(problem)"
    case .unsignedBundle: "the bundle is not signed, and a signature is required"
    case .untrustedKey(let key):
      "the bundle is signed with the key \(key), which is not among the trusted ones"
    case .invalidSignature(let problem): "the bundle's signature is not good: \(problem)"
    case .bundleDowngrade(let version, let seen):
      "this is version '\(version)', and version '\(seen)' has been here already; "
        + "--allow-older takes it all the same"
    case .unverifiable(_, let problem): problem
    default: workerMessage
    }
  }

  private var workerMessage: String {
    switch reason {
    case .workerMissing(let looked):
      "there is no worker to run the model in: looked for \(Self.list(looked)). Put tensorio-worker "
        + "beside your program, or say where it is with TENSORIO_WORKER"
    case .workerCrashed(let how): "the process that ran the model \(how)"
    case .suspended(let deaths, let seconds):
      "the model has ended \(deaths) processes within \(seconds) seconds and is put aside for a while"
    case .sandboxUnavailable(let missing):
      "the model cannot be run in a sandbox here: \(missing.joined(separator: "; "))"
    default: code
    }
  }
}

extension ModelError {
  private static func message(_ problems: [Diagnostic]) -> String {
    guard let first = problems.first else { return "the description is invalid" }
    let others = problems.count - 1
    return first.description + (others > 0 ? " (and \(others) more; see `tensorio validate`)" : "")
  }

  private static func message(data problems: [Diagnostic]) -> String {
    guard let first = problems.first else { return "the data is invalid" }
    return first.description + (problems.count > 1 ? " (and \(problems.count - 1) more)" : "")
  }

  private static func message(_ problem: MissingRuntime) -> String {
    let findings = problem.searchResults.joined(separator: "; ")
    return "the \(problem.backend) runtime is missing: \(findings). Install it: \(problem.installCommand)"
  }

  private static func message(
    missing: [String], unexpected: [String], declared: [String]
  ) -> String {
    let parts = [
      missing.isEmpty ? nil : "missing \(list(missing))",
      unexpected.isEmpty ? nil : "unexpected \(list(unexpected))",
    ]
    return "the inputs are \(list(declared)): " + parts.compactMap(\.self).joined(separator: ", ")
  }

  private static func message(unknown name: String, known: [String]) -> String {
    let hint = Spelling.closestMatch(to: name, among: known).map { "did you mean '\($0)'?" }
    return "no bundle is called '\(name)'; " + (hint ?? "there are \(list(known))")
  }

  private static func message(_ what: String, _ first: [String], _ second: [String]) -> String {
    let texts = [first, second].map { layers in
      layers.isEmpty ? "none" : layers.joined(separator: ", ")
    }
    return "the models have other \(what), which cannot be compared: the first has \(texts[0]), "
      + "the second \(texts[1])"
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.map { "'\($0)'" }.joined(separator: ", ")
  }

  private static func values(_ count: Int) -> String {
    count == 1 ? "1 value" : "\(count) values"
  }
}

extension Diagnostic: CustomStringConvertible {
  /// One line: where, what, and what to do.
  public var description: String {
    let place = line.map { "line \($0), column \(column ?? 1): " } ?? ""
    let pointer = path.isEmpty ? "" : "\(path): "
    let hint = suggestion.map { "; \($0)" } ?? ""
    return (place + pointer + messageWithoutPeriod + expectedAndFound + hint).inOneLine
  }

  private var messageWithoutPeriod: String { message.hasSuffix(".") ? String(message.dropLast()) : message }

  /// What was expected and found, unless the message says so itself.
  private var expectedAndFound: String {
    let facts = [expected.map { "expected \($0)" }, found.map { "found \($0)" }].compactMap(\.self)
    let isTold = expected.map(message.contains) ?? false
    return facts.isEmpty || isTold ? "" : " (\(facts.joined(separator: ", ")))"
  }
}

extension String {
  /// The text without line breaks, which names from elsewhere may have.
  fileprivate var inOneLine: String {
    contains(where: \.isNewline) ? String(map { $0.isNewline ? " " : $0 }) : self
  }
}
