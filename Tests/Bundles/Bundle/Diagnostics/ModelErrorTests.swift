import TensorIOImage
import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON

@Suite struct ModelErrorTests {
  struct Case: CustomTestStringConvertible {
    let reason: ModelError.Reason
    let code: String
    let message: String

    init(_ reason: ModelError.Reason, _ code: String, _ message: String) {
      self.reason = reason
      self.code = code
      self.message = message
    }

    var testDescription: String { code }
  }

  static let all = bundle + runtime + input + run + training + worker

  private static let shapeDiagnostic = Diagnostic(
    .error, code: "tensor-shape", path: "/inputs/0/shape", line: 4, column: 9, expected: "[1,4]",
    found: "[5]", message: "the shapes differ", suggestion: "correct one")

  private static let bundle = [
    Case(.missingBundle, "missing-bundle", "no such bundle"),
    Case(
      .notABundle(found: "a file"), "not-a-bundle",
      "expected a folder with a model.json, found a file"),
    Case(.missingFile("m.tflite"), "missing-file", "no such file 'm.tflite'"),
    Case(
      .unreadableFile("m", detail: "not a regular file"), "unreadable-file",
      "cannot read 'm': not a regular file"),
    Case(
      .oversizedFile("m", bytes: 9, limit: 8), "oversized-file", "'m' has 9 bytes; the limit is 8"),
    Case(
      .invalidDescription([shapeDiagnostic]), "tensor-shape",
      "line 4, column 9: /inputs/0/shape: the shapes differ (expected [1,4], found [5]); correct one"
    ),
    Case(
      .invalidDescription([shapeDiagnostic, shapeDiagnostic, shapeDiagnostic]), "tensor-shape",
      "line 4, column 9: /inputs/0/shape: the shapes differ (expected [1,4], found [5]); correct one "
        + "(and 2 more)"),
    Case(.invalidDescription([]), "invalid-description", "the description is invalid"),
    Case(
      .unsafeName("../m"), "unsafe-name",
      "invalid path '../m'; a path must stay inside the bundle"),
    Case(.missingFolder, "missing-folder", "no such folder"),
    Case(.noBundles, "no-bundles", "the folder contains no bundles"),
    Case(
      .unknownBundle("cats", known: ["cat", "dog"]), "unknown-bundle",
      "no bundle named 'cats'; did you mean 'cat'?"),
    Case(
      .unknownBundle("bird", known: ["cat", "dog"]), "unknown-bundle",
      "no bundle named 'bird'; available: 'cat', 'dog'"),
    Case(.unsupported("training"), "unsupported", "training is not supported"),
    Case(.unmetRequirement("the chain has no step"), "unsupported", "the chain has no step"),
  ]

  private static let training = [
    Case(
      .lossNotFinite(step: 7, value: "nan"), "loss-not-finite",
      "the loss is nan after step 7; the weights after this step are invalid"),
    Case(
      .unwritable("a/b", detail: "disk full"), "unwritable", "cannot write 'a/b': disk full"),
    Case(.alreadyExists("a"), "already-exists", "'a' already exists"),
    Case(
      .checkpointMismatch(what: "the seed", expected: "1", actual: "2"), "checkpoint-mismatch",
      "the checkpoint does not match: the seed is 2, the checkpoint has 1"),
    Case(
      .noCompleteCheckpoint("a", detail: "cut"), "no-complete-checkpoint",
      "no complete checkpoint in 'a': cut"),
  ]

  private static let runtime = [
    Case(
      .unknownBackend(BackendIdentifier(rawValue: "ONNX"), known: [.tflite, .tensorflow]),
      "unknown-backend", "unknown backend 'onnx'; available: 'tflite', 'tensorflow'"),
    Case(
      .unknownBackend(.tflite, known: []), "unknown-backend",
      "unknown backend 'tflite'; available: none"),
    Case(
      .unknownClass("Mine", registered: ["Yours"]), "unknown-class",
      "no model class 'Mine' is registered; registered: 'Yours'"),
    Case(
      .runtimeMissing(
        .init(
          backend: .tflite, searchResults: ["not here", "nor there"],
          recoverySuggestion: "install it")),
      "runtime-missing",
      "the tflite runtime is not installed: not here; nor there; install it"),
    Case(
      .modelRejected(detail: "unknown operator"), "model-rejected",
      "the runtime rejected the model: unknown operator"),
  ]

  private static let input = [
    Case(
      .inputNames(missing: ["a", "b"], unexpected: ["z"], declared: ["a", "b"]), "input-names",
      "missing inputs 'a', 'b', unexpected inputs 'z'; expected inputs 'a', 'b'"),
    Case(
      .inputNames(missing: ["a"], unexpected: [], declared: ["a"]), "input-names",
      "missing inputs 'a'; expected inputs 'a'"),
    Case(
      .inputCount(expected: 2, actual: 3), "input-count", "expected 2 inputs, got 3"),
    Case(
      .unknownPlaceholder("rat", known: ["rate"]), "unknown-placeholder",
      "unknown placeholder 'rat'; placeholders: 'rate'"),
    Case(
      .labelOutOfRange(value: 10, count: 10), "label-out-of-range",
      "label 10 is out of range; expected 0 to 9"),
    Case(.wrongCount(expected: 4, actual: 3), "wrong-count", "expected 4 values, got 3"),
    Case(.wrongCount(expected: 1, actual: 0), "wrong-count", "expected 1 value, got 0"),
    Case(.wrongByteCount(expected: 16, actual: 4), "wrong-byte-count", "expected 16 bytes, got 4"),
    Case(
      .wrongShape(expected: "[2,2]", actual: "[4, 1]"), "wrong-shape",
      "expected shape [2,2], got [4, 1]"),
    Case(
      .wrongType(expected: "a number", actual: "a string"), "wrong-type",
      "expected a number, got a string"),
    Case(.outOfRange(value: "300", type: .uint8), "out-of-range", "300 is out of range for uint8"),
    Case(.image(ImageError(.truncated)), "truncated-image", "the image is truncated"),
    Case(
      .image(ImageError(.truncated, file: "cat.jpg")), "truncated-image",
      "cat.jpg: the image is truncated"),
    Case(
      .invalidJSON(
        JSONError(
          .wrongType, at: JSONPosition(of: 0, in: []), pointer: "", expected: "a number",
          found: "null")),
      "invalid-json",
      "invalid JSON: line 1, column 1: expected a number, found null"),
    Case(.invalidValue("not a list"), "invalid-value", "not a list"),
  ]

  private static let run = [
    Case(
      .callFailed(function: "invoke", status: 3, message: ""), "call-failed",
      "invoke failed with status 3"),
    Case(
      .callFailed(function: "invoke", status: 3, message: "out of memory"), "call-failed",
      "invoke failed with status 3: out of memory"),
    Case(
      .unknownOutput("z", known: ["y"]), "unknown-output", "unknown output 'z'; outputs: 'y'"),
    Case(.failed("allocation failed"), "failed", "allocation failed"),
    Case(.timedOut, "timed-out", "timed out waiting for a free session"),
    Case(
      .runTimedOut(limit: .seconds(2)), "run-timed-out",
      "the run exceeded its time limit of 2.0 seconds"),
    Case(.cancelled, "cancelled", "cancelled"),
    Case(
      .interfaceChanged([#"input "x" is missing"#, #"label "a" is new"#]), "interface-changed",
      #"the bundle does not fit the type that was generated for it: input "x" is missing, "#
        + #"label "a" is new; generate the type again"#),
  ]

  private static let worker = [
    Case(
      .workerMissing(searched: ["a", "b"]), "worker-missing",
      "tensorio-worker not found; searched 'a', 'b'; install it next to the program, or set "
        + "TENSORIO_WORKER to its path"),
    Case(
      .workerNotLaunched("a", detail: "Permission denied"), "worker-not-launched",
      "the worker process 'a' cannot be launched: Permission denied"),
    Case(
      .workerCrashed(detail: "crashed with signal 9"), "worker-crashed",
      "the worker process crashed with signal 9"),
    Case(
      .suspended(crashes: 3, seconds: 60), "model-suspended",
      "the model is suspended after 3 worker crashes within 60 seconds"),
    Case(
      .sandboxUnavailable(missing: ["no seccomp", "no Landlock"]), "sandbox-unavailable",
      "no sandbox is available: no seccomp; no Landlock"),
  ]

  @Test(arguments: all)
  func `Each reason has a message and a code`(each: Case) {
    let error = ModelError(.input, each.reason)
    #expect(error.description == each.message)
    #expect(error.code == each.code)
  }

  @Test func `The message of a file missing from a bundle names the bundle`() {
    let error = ModelError(.bundle, .missingFile("m.tflite"))
    #expect(error.description == "the bundle has no file 'm.tflite'")
  }

  @Test(arguments: all)
  func `A message is one line with the location, and a code is kebab-case`(each: Case) {
    let error = ModelError(.run, each.reason, layer: "x\ny", file: "a\r\nb")
    #expect(error.description == "a b: layer 'x y': " + each.message)
    let letters = each.code.split(separator: "-", omittingEmptySubsequences: false)
    #expect(letters.allSatisfy { !$0.isEmpty && $0.allSatisfy { ("a"..."z").contains($0) } })
  }

  @Test func `A code is a pattern that matches its errors only`() {
    func outcome(_ error: ModelError) -> String {
      do throws(ModelError) {
        throw error
      } catch ModelError.timedOut {
        return "timed out"
      } catch ModelError.wrongCount where error.layer == "x" {
        return "count"
      } catch {
        return "other"
      }
    }
    #expect(outcome(ModelError(.run, .timedOut)) == "timed out")
    #expect(outcome(ModelError(.input, .wrongCount(expected: 1, actual: 2), layer: "x")) == "count")
    #expect(outcome(ModelError(.run, .cancelled)) == "other")
  }

  @Test func `A code is a pattern where errors of several types are thrown`() {
    func outcome(_ error: any Error) -> String {
      do {
        throw error
      } catch ModelError.timedOut {
        return "timed out"
      } catch {
        return "other"
      }
    }
    #expect(outcome(ModelError(.run, .timedOut)) == "timed out")
    #expect(outcome(ImageError(.truncated)) == "other")
    #expect(outcome(ModelError(.input, .image(ImageError(.truncated)))) == "other")
  }

  @Test func `The values of a message are kept by name`() {
    let error = ModelError(.input, .wrongCount(expected: 10, actual: 3))
    #expect(error.details == ["expected": 10, "actual": 3])
    let names = ModelError(.input, .unknownPlaceholder("rat", known: ["rate"]))
    #expect(names.details == ["name": "rat", "known": ["rate"]])
    #expect(names.text("name") == "rat" && names.texts("known") == ["rate"])
    #expect(names.number("name") == nil && names.text("none") == nil)
    let message: ModelError.Message = "a \(1, as: "n") " + "b \(true) \(1.5, as: "x")"
    #expect(message.text == "a 1 b true 1.5")
    #expect(message.details == [.init("n", 1), .init("x", 1.5)])
  }

  @Test func `A missing runtime can be read back from its error`() {
    let missing = ModelError.MissingRuntime(
      backend: .onnx, searchResults: ["a: no", "b: no"], recoverySuggestion: "install it")
    let error = ModelError(.runtime, .runtimeMissing(missing))
    #expect(error.missingRuntime == missing && error.recoverySuggestion == "install it")
    #expect(ModelError(.runtime, .timedOut).missingRuntime == nil)
  }

  @Test func `The innermost layer and file of an error are kept`() {
    let error = ModelError(.input, .timedOut).at(layer: "inner").at(layer: "outer")
      .in(file: "first").in(file: "second")
    #expect(error.layer == "inner")
    #expect(error.file == "first")
  }
}
