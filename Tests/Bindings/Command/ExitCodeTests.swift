import Foundation
import TensorIOTestSupport
import Testing

/// Exit codes, and the streams of results and messages.
@Suite(.ownThreads) struct ExitCodeTests {
  /// A command line whose words in capitals stand for paths of a `Stage`.
  struct Line: Sendable, CustomTestStringConvertible {
    let words: String
    let exit: Int32
    let message: String
    var hasOutput = true

    var testDescription: String { words }
  }

  @Test(arguments: [
    Line(words: "run DOUBLE [1,2,3,4]", exit: 0, message: ""),
    Line(words: "run DOUBLE [1,2,3,4] [4,3,2,1]", exit: 0, message: ""),
    Line(
      words: "run DOUBLE [1,2,3,4] [4]", exit: 1,
      message: "tensorio: [4]: layer 'x': expected 4 values, got 1"),
    Line(
      words: "run DOUBLE [4] [4]", exit: 1,
      message: "tensorio: [4]: layer 'x': expected 4 values, got 1"),
    Line(
      words: "run DOUBLE [4]", exit: 4,
      message: "tensorio: [4]: layer 'x': expected 4 values, got 1"),
    Line(
      words: "run DOUBLE @none.json", exit: 4,
      message: "tensorio: @none.json: no such file 'none.json'"),
    Line(
      words: "run DOUBLE --nope", exit: 2, message: "tensorio: unknown option '--nope'",
      hasOutput: false),
    Line(
      words: "run NOWHERE 1", exit: 3, message: "tensorio: NOWHERE: no such bundle",
      hasOutput: false),
    Line(
      words: "run FILE 1", exit: 3,
      message:
        "tensorio: FILE: expected a folder with a model.json, found a file that is not a zip archive",
      hasOutput: false),
    Line(
      words: "run NO-MODEL 1", exit: 3,
      message: "tensorio: NO-MODEL: the bundle has no file 'model.tflite'", hasOutput: false),
    Line(
      words: "run NO-LABELS [1,2,3,4]", exit: 3,
      message: "tensorio: NO-LABELS: layer 'y': the bundle has no file 'assets/labels.txt'",
      hasOutput: false),
    Line(
      words: "run MISMATCH [1]", exit: 3,
      message: """
        tensorio: MISMATCH: line 4, column 53: /inputs/0/shape: layer 'x': the model's tensor and the layer \
        have different shapes (expected [4], found [5])
        """, hasOutput: false),
    Line(
      words: "run BROKEN-JSON 1", exit: 3,
      message: """
        tensorio: BROKEN-JSON/model.json: line 1, column 2: expected a key in double quotes, \
        found end of text
        """, hasOutput: false),
    Line(
      words: "run TENSORFLOW [1,2,3,4]", exit: 5,
      message: """
        tensorio: TENSORFLOW/model.tflite: the runtime rejected the model: not a SavedModel: \
        expected a folder with saved_model.pb
        """, hasOutput: false),
    Line(
      words: "run TRUNCATED [1,2,3,4]", exit: 5,
      message: "tensorio: TRUNCATED/model.tflite: the runtime rejected the model: ",
      hasOutput: false
    ),
    Line(
      words: "run FOREIGN [1,2,3,4]", exit: 5,
      message: "tensorio: FOREIGN/model.tflite: the runtime rejected the model: ", hasOutput: false),
    Line(
      words: "run UNKNOWN-OPERATOR [1,2,3,4]", exit: 5,
      message: "tensorio: UNKNOWN-OPERATOR/model.tflite: the runtime rejected the model: ",
      hasOutput: false),
    Line(
      words: "run REMOVED-OPERATOR [1,2,3,4]", exit: 5,
      message: "tensorio: REMOVED-OPERATOR: the runtime rejected the model: ",
      hasOutput: false),
    Line(
      words: "run DOUBLE [1,2,3,4] --litert-library NOWHERE", exit: 5,
      message: "tensorio: LiteRT cannot be loaded: NOWHERE: no such file", hasOutput: false),
    Line(
      words: "run NEGATIVE PICTURE --save-images FILE/out", exit: 6,
      message: "tensorio: PICTURE: FILE/out: cannot create the folder"),
    Line(words: "inspect DOUBLE", exit: 0, message: ""),
    Line(
      words: "inspect NOWHERE", exit: 3, message: "tensorio: NOWHERE: no such bundle",
      hasOutput: false),
    Line(
      words: "inspect TRUNCATED", exit: 5,
      message: "tensorio: TRUNCATED/model.tflite: the runtime rejected the model: "),
    Line(
      words: "inspect NO-MODEL", exit: 3,
      message: "tensorio: NO-MODEL: the bundle has no file 'model.tflite'"),
    Line(words: "validate DOUBLE", exit: 0, message: ""),
    Line(words: "validate DOUBLE --strict", exit: 0, message: ""),
    Line(words: "validate DOUBLE/model.json", exit: 0, message: ""),
    Line(words: "validate NO-MODES", exit: 0, message: ""),
    Line(words: "validate NO-MODES --strict", exit: 1, message: ""),
    Line(words: "validate NOWHERE", exit: 3, message: ""),
    Line(words: "validate NO-MODEL", exit: 3, message: ""),
    Line(words: "validate NO-LABELS", exit: 3, message: ""),
    Line(words: "validate MISMATCH", exit: 3, message: ""),
    Line(words: "validate BROKEN-JSON", exit: 3, message: ""),
    Line(words: "validate TRUNCATED", exit: 5, message: ""),
    Line(words: "validate UNKNOWN-OPERATOR", exit: 5, message: ""),
    Line(words: "runtime where litert", exit: 0, message: ""),
    Line(words: "runtime list", exit: 0, message: ""),
    Line(words: "completions bash", exit: 0, message: ""),
  ])
  func `A command line has the expected exit code and messages`(_ line: Line) throws {
    let stage = try Stage()
    let words = line.words.split(separator: " ").map { stage.filled(String($0)) }
    let outcome = TestConsole.run(words)
    #expect(outcome.exitCode == line.exit, "\(outcome)")
    #expect(outcome.output.isEmpty == !line.hasOutput, "\(outcome)")
    if line.message.isEmpty {
      #expect(outcome.messages.isEmpty, "\(outcome)")
    } else {
      #expect(outcome.firstMessageLine.hasPrefix(stage.filled(line.message)), "\(outcome)")
    }
  }
}
