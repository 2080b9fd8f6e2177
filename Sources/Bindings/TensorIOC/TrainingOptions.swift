import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTraining

/// The options of a training, as JSON.
struct TrainingOptions {
  private(set) var options = Trainer.Options()

  /// Parses a JSON object; `nil` selects the defaults.
  ///
  /// - Throws: The message for an option that is unknown or has an invalid value.
  init(_ text: String?) throws(ModelError) {
    guard let text else { return }
    guard let document = try? JSONDocument(parsing: Array(text.utf8)),
      let members = document.root.members
    else { throw ModelError(.input, .invalidValue("the options must be a JSON object")) }
    var checkpoints: Trainer.Checkpoints?
    for member in members {
      let (name, value) = (member.name, member.value)
      switch name {
      case "epochs": options.epochs = try Self.count(name, value)
      case "batch_size": options.batchSize = try Self.count(name, value)
      case "shuffle": options.shuffles = try Self.flag(name, value)
      case "seed": options.seed = UInt64(try Self.count(name, value))
      case "keep_last_batch": options.keepsLastBatch = try Self.flag(name, value)
      case "validation_split":
        guard let number = value.double, (0..<1).contains(number) else {
          throw ModelError(
            .input, .invalidValue("'\(name, as: "name")' must be a number from 0 to less than 1"))
        }
        options.validationFraction = number
      case "patience": options.earlyStoppingPatience = try Self.count(name, value)
      case "timing": options.outputTiming = try Self.timing(name, value)
      case "loss": options.lossOutput = try Self.text(name, value)
      case "checkpoints":
        checkpoints = Trainer.Checkpoints(
          in: try Self.text(name, value), every: checkpoints?.interval ?? .epochs(1),
          maxToKeep: checkpoints?.maxToKeep ?? 3, resuming: checkpoints?.resumes ?? false)
      case "resume", "checkpoint_steps", "max_checkpoints": break
      default: throw ModelError(.input, .invalidValue("unknown option '\(name, as: "name")'"))
      }
    }
    if let value = document.root["resume"] { checkpoints?.resumes = try Self.flag("resume", value) }
    if let value = document.root["checkpoint_steps"] {
      checkpoints?.interval = .steps(try Self.count("checkpoint_steps", value))
    }
    if let value = document.root["max_checkpoints"] {
      checkpoints?.maxToKeep = try Self.count("max_checkpoints", value)
    }
    options.checkpoints = checkpoints
  }

  /// Returns the timing of a step's outputs with a name.
  static func timing(_ name: String, _ value: JSONNode) throws(ModelError) -> StepOutputTiming {
    guard let timing = StepOutputTiming(rawValue: try text(name, value)) else {
      throw ModelError(
        .input, .invalidValue("'\(name, as: "name")' must be after-update, before-update or never"))
    }
    return timing
  }

  private static func count(_ name: String, _ value: JSONNode) throws(ModelError) -> Int {
    guard let number = value.int, number >= 0, let count = Int(exactly: number) else {
      throw ModelError(
        .input, .invalidValue("'\(name, as: "name")' must be an integer that is not negative"))
    }
    return count
  }

  private static func flag(_ name: String, _ value: JSONNode) throws(ModelError) -> Bool {
    guard let flag = value.bool else {
      throw ModelError(.input, .invalidValue("'\(name, as: "name")' must be true or false"))
    }
    return flag
  }

  private static func text(_ name: String, _ value: JSONNode) throws(ModelError) -> String {
    guard let text = value.string else {
      throw ModelError(.input, .invalidValue("'\(name, as: "name")' must be a string"))
    }
    return text
  }
}
