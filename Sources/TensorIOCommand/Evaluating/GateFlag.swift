internal import TensorIOCore
internal import TensorIOEvaluation

/// What figures must be for a command to succeed.
struct GateFlag {
  static let flag = Flag(
    "gate", "FIGURE>=NUMBER", "exit code 1 when a figure falls short; may be given more than once")

  private let gates: [Gate]

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    do throws(GateError) {
      var gates: [Gate] = []
      for text in arguments.all(Self.flag) { gates.append(try Gate(text)) }
      self.gates = gates
    } catch {
      throw .usage("\(error)")
    }
  }

  /// Holds a result against all gates and tells of each that it fails.
  func isPassed(by result: EvaluationResult, _ console: Console) throws(CommandFailure) -> Bool {
    var isPassed = true
    for gate in gates {
      do throws(GateError) {
        let verdict = try gate.judge(
          result.figures + result.speed.figures + result.speed.stageFigures)
        guard !verdict.passes else { continue }
        isPassed = false
        console.fail(
          CommandFailure("gate", "\(result.model.path): \(verdict)", exit: .fellShort))
      } catch {
        throw .usage("--gate: \(error)")
      }
    }
    return isPassed
  }
}
