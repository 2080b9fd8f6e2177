import TensorIOBundle
import TensorIOCore
import TensorIOTraining

/// The options of a training, as JSON.
struct TrainingOptions {
  private(set) var options = Trainer.Options()

  /// Parses a JSON object; `nil` selects the defaults.
  ///
  /// - Throws: A `ModelError` that names the first option that is unknown or has an invalid value.
  init(_ text: String?) throws(ModelError) {
    var options = Trainer.Options()
    var (checkpoints, folder): (Trainer.Checkpoints, String?) = (Trainer.Checkpoints(in: ""), nil)
    try JSONOption.read(text) { (option) throws(ModelError) in
      switch option.name {
      case "epochs": options.epochs = try option.count(0 ... .max)
      case "batch_size": options.batchSize = try option.count(0 ... .max)
      case "shuffle": options.shuffles = try option.flag
      case "seed": options.seed = UInt64(try option.count(0 ... .max))
      case "keep_last_batch": options.keepsLastBatch = try option.flag
      case "validation_split": options.validationFraction = try option.fraction
      case "patience": options.earlyStoppingPatience = try option.count(0 ... .max)
      case "timing": options.outputTiming = try option.timing
      case "loss": options.lossOutput = try option.text
      case "checkpoints": folder = try option.text
      case "resume": checkpoints.resumes = try option.flag
      case "checkpoint_steps": checkpoints.interval = .steps(try option.count(0 ... .max))
      case "max_checkpoints": checkpoints.maxToKeep = try option.count(0 ... .max)
      default: return false
      }
      return true
    }
    if let folder {
      checkpoints.folder = folder
      options.checkpoints = checkpoints
    }
    self.options = options
  }
}

extension JSONOption {
  /// The timing of a step's outputs.
  fileprivate var timing: StepOutputTiming {
    get throws(ModelError) {
      guard let timing = StepOutputTiming(rawValue: try text) else {
        throw invalid("after-update, before-update or never")
      }
      return timing
    }
  }
}
