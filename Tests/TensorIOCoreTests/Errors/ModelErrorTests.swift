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

  static let all = bundle + runtime + input + run + training

  private static let shapeProblem = Diagnostic(
    .error, code: "tensor-shape", path: "/inputs/0/shape", line: 4, column: 9, expected: "[1,4]",
    found: "[5]", message: "The shapes differ.", suggestion: "mend one")

  private static let bundle = [
    Case(.missingBundle, "missing-bundle", "there is no such bundle"),
    Case(
      .notABundle(found: "a file"), "not-a-bundle",
      "a file, but a bundle is a folder that holds a model.json"),
    Case(.missingFile("m.tflite"), "missing-file", "there is no file 'm.tflite'"),
    Case(
      .unreadableFile("m", detail: "it is not a file"), "unreadable-file",
      "cannot read 'm': it is not a file"),
    Case(
      .oversizedFile("m", bytes: 9, limit: 8), "oversized-file", "'m' has 9 bytes; the limit is 8"),
    Case(
      .invalidDescription([shapeProblem]), "tensor-shape",
      "line 4, column 9: /inputs/0/shape: The shapes differ (expected [1,4], found [5]); mend one"),
    Case(
      .invalidDescription([shapeProblem, shapeProblem, shapeProblem]), "tensor-shape",
      "line 4, column 9: /inputs/0/shape: The shapes differ (expected [1,4], found [5]); mend one "
        + "(and 2 more; see `tensorio validate`)"),
    Case(.invalidDescription([]), "invalid-description", "the description is invalid"),
    Case(.unsafeName("../m"), "unsafe-name", "the name '../m' leads out of the bundle"),
    Case(.missingFolder, "missing-folder", "there is no such folder"),
    Case(.noBundles, "no-bundles", "there are no bundles in it"),
    Case(
      .unknownBundle("cats", known: ["cat", "dog"]), "unknown-bundle",
      "no bundle is called 'cats'; did you mean 'cat'?"),
    Case(
      .unknownBundle("bird", known: ["cat", "dog"]), "unknown-bundle",
      "no bundle is called 'bird'; there are 'cat', 'dog'"),
    Case(.unsupported("training"), "unsupported", "training is not supported"),
  ]

  private static let training = [
    Case(
      .lossNotFinite(step: 7, value: "nan"), "loss-not-finite",
      "the loss is nan after step 7; the weights of that step are of no use"),
    Case(
      .unwritable("a/b", detail: "disk full"), "unwritable", "cannot write 'a/b': disk full"),
    Case(.alreadyExists("a"), "already-there", "there is something at 'a' already"),
    Case(
      .checkpointMismatch(what: "the seed", expected: "1", actual: "2"), "checkpoint-differs",
      "the checkpoint was made with the seed 1, not 2"),
    Case(
      .noCompleteCheckpoint("a", detail: "cut"), "no-whole-checkpoint",
      "no checkpoint in 'a' is whole: cut"),
  ]

  private static let runtime = [
    Case(
      .unknownBackend(BackendIdentifier(rawValue: "ONNX"), known: [.tflite, .tensorflow]),
      "unknown-backend", "no runtime is called 'onnx'; known are 'tflite', 'tensorflow'"),
    Case(
      .unknownBackend(.tflite, known: []), "unknown-backend",
      "no runtime is called 'tflite'; known are none"),
    Case(
      .unknownClass("Mine", registered: ["Yours"]), "unknown-class",
      "no model is registered as 'Mine'; registered are 'Yours'"),
    Case(
      .runtimeMissing(
        .init(backend: .tflite, searchResults: ["not here", "nor there"], installCommand: "install it")),
      "runtime-missing",
      "the tflite runtime is missing: not here; nor there. Install it: install it"),
    Case(
      .modelRejected(detail: "unknown operator"), "model-refused",
      "the runtime refuses the model: unknown operator"),
  ]

  private static let input = [
    Case(
      .inputNames(missing: ["a", "b"], unexpected: ["z"], declared: ["a", "b"]), "input-names",
      "the inputs are 'a', 'b': missing 'a', 'b', unexpected 'z'"),
    Case(
      .inputNames(missing: ["a"], unexpected: [], declared: ["a"]), "input-names",
      "the inputs are 'a': missing 'a'"),
    Case(
      .inputCount(expected: 2, actual: 3), "input-count", "the model takes 2 inputs, got 3"),
    Case(
      .unknownPlaceholder("rat", known: ["rate"]), "unknown-placeholder",
      "there is no placeholder 'rat'; there are 'rate'"),
    Case(
      .labelOutOfRange(value: 10, count: 10), "label-out-of-range",
      "there is no label 10; labels are 0 to 9"),
    Case(.wrongCount(expected: 4, actual: 3), "wrong-count", "expected 4 values, got 3"),
    Case(.wrongCount(expected: 1, actual: 0), "wrong-count", "expected 1 value, got 0"),
    Case(.wrongByteCount(expected: 16, actual: 4), "wrong-byte-count", "expected 16 bytes, got 4"),
    Case(
      .wrongShape(expected: "[2,2]", actual: "[4, 1]"), "wrong-shape",
      "expected the shape [2,2], got [4, 1]"),
    Case(
      .wrongType(expected: "a number", actual: "a text"), "wrong-type",
      "expected a number, got a text"),
    Case(.outOfRange(value: "300", type: .uint8), "out-of-range", "300 is no uint8"),
    Case(.image(ImageError(.truncated)), "truncated-picture", "the picture is cut off"),
    Case(
      .image(ImageError(.truncated, file: "cat.jpg")), "truncated-picture",
      "cat.jpg: the picture is cut off"),
    Case(
      .invalidJSON(
        JSONError(
          .wrongType, at: JSONPosition(of: 0, in: []), pointer: "", expected: "a number",
          found: "null")),
      "invalid-json",
      "not the JSON that was expected: line 1, column 1: expected a number, found null"),
    Case(.invalidValue("this is no list"), "unreadable-value", "this is no list"),
  ]

  private static let run = [
    Case(
      .callFailed(function: "invoke", status: 3, message: ""), "call-failed",
      "invoke failed with status 3"),
    Case(
      .callFailed(function: "invoke", status: 3, message: "out of memory"), "call-failed",
      "invoke failed with status 3: out of memory"),
    Case(
      .unknownOutput("z", known: ["y"]), "unknown-output", "there is no output 'z'; there are 'y'"),
    Case(.failed("not today"), "failed", "not today"),
    Case(.timedOut, "timed-out", "no session became free in time"),
    Case(.cancelled, "cancelled", "cancelled"),
  ]

  @Test(arguments: all)
  func `a reason has its words and its code`(each: Case) {
    let error = ModelError(.input, each.reason)
    #expect(error.description == each.message)
    #expect(error.code == each.code)
  }

  @Test func `a file that a bundle names is missing from the bundle`() {
    let error = ModelError(.bundle, .missingFile("m.tflite"))
    #expect(error.description == "the bundle has no file 'm.tflite'")
  }

  @Test(arguments: all)
  func `a message is one line that says where, and a code is kebab-case`(each: Case) {
    let error = ModelError(.run, each.reason, layer: "x\ny", file: "a\r\nb")
    #expect(error.description == "a b: layer 'x y': " + each.message)
    let letters = each.code.split(separator: "-", omittingEmptySubsequences: false)
    #expect(letters.allSatisfy { !$0.isEmpty && $0.allSatisfy { ("a"..."z").contains($0) } })
  }

  @Test func `no two reasons share a code`() {
    let codes = Dictionary(grouping: Self.all) {
      String(describing: $0.reason).prefix { $0 != "(" }
    }
    .filter { $0.key != "picture" && $0.key != "invalidDescription" }
    .mapValues { Set($0.map(\.code)) }
    #expect(codes.values.allSatisfy { $0.count == 1 })
    #expect(Set(codes.values).count == codes.count)
  }

  @Test func `the first to know a place tells it`() {
    let error = ModelError(.input, .timedOut).at(layer: "inner").at(layer: "outer")
      .in(file: "first").in(file: "second")
    #expect(error.layer == "inner")
    #expect(error.file == "first")
  }
}
