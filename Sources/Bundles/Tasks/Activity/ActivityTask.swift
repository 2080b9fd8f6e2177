public import TensorIOBundle
public import TensorIOCore
import TensorIOJSON

/// Voice activity: where a recording has speech.
public struct ActivityTask: ModelTask {
  static let threshold = TaskSetting.number(
    "threshold", in: .fraction, default: 0.5, "The probability from which speech begins.")
  static let lowThreshold = "low_threshold"
  static let minSpeech = TaskSetting.number(
    "min_speech", in: .nonnegative, default: 0.25,
    "The length that a section with speech has to exceed, in seconds.")
  static let minSilence = TaskSetting.number(
    "min_silence", in: .nonnegative, default: 0.1,
    "The length from which a pause ends a section, in seconds.")
  static let maxSpeech = "max_speech"
  static let padding = TaskSetting.number(
    "padding", in: .nonnegative, default: 0.03,
    "What is added before and after each section, in seconds.")

  /// The format of the task.
  public static let format = TaskFormat(
    "activity", requiredOutputs: [.role(.scores)],
    interface: TaskInterface(
      "activity", .init("activity", type: "Activity", "Where the sound has speech."))
  ) {
    threshold
    Field(
      lowThreshold, .number(in: .fraction), otherwise: "0.15 less than `threshold`",
      "The probability below which a pause begins."
    ).example("0.35")
    minSpeech
    minSilence
    Field(
      maxSpeech, .number(in: .positive), otherwise: "no limit",
      "The length from which a section is divided, at its longest pause if it has one, in seconds."
    ).example("30")
    padding
  }

  /// How sections follow from probabilities.
  public var options: ActivityOptions
  private let scores: String
  private let hop: Int
  private let sampleRate: Int
  /// The input that takes sound.
  let input: Layer

  /// Creates the task of a model.
  ///
  /// - Throws: A ``ModelError`` if the model has no input for sound with a fixed length.
  public init(_ model: ModelInfo) throws(ModelError) {
    scores = try model.output(.scores)
    let inputs = model.description.inputs.filter { layer in
      if case .audio = layer.kind { true } else { false }
    }
    guard let input = inputs.first, inputs.count == 1, case .audio(let layer) = input.kind,
      let hop = layer.hop ?? layer.windowHop
    else {
      throw ModelError(
        .bundle,
        .unmetRequirement("the task requires an input of the type 'audio' with a fixed length"),
        file: model.bundle.path)
    }
    (self.hop, sampleRate, self.input) = (hop, layer.sampleRate, input)
    options = ActivityOptions()
    options.threshold = Self.threshold.double(in: model.task)
    options.lowThreshold = model.task?.settings[Self.lowThreshold]?.double
    options.minSpeech = Self.minSpeech.double(in: model.task)
    options.minSilence = Self.minSilence.double(in: model.task)
    options.maxSpeech = model.task?.settings[Self.maxSpeech]?.double
    options.padding = Self.padding.double(in: model.task)
  }

  /// Returns the sections with speech.
  public func result(of output: ModelOutput) throws(ModelError) -> Activity {
    // A window of a stream has no windows of its own.
    let windows = output.windows.isEmpty ? [output.layers] : output.windows.map(\.layers)
    let probabilities = windows.compactMap { probability(in: $0) }
    let end = output.windows.last?.end ?? Double(hop) / Double(sampleRate)
    let length = Int((end * Double(sampleRate)).rounded())
    let first = output.windows.first?.start ?? 0
    let offset = first > 0 ? Int((first * Double(sampleRate)).rounded()) : 0
    return activity(probabilities, length: length - offset, after: offset)
  }

  /// Returns the probability of speech in a window; `nil` without one.
  func probability(in layers: [ModelOutput.Layer]) -> Float? {
    layers.first { $0.name == scores }?.value.numbers?.floats.first
  }

  /// Returns the sections with speech.
  ///
  /// - Parameters:
  ///   - probabilities: The probability of speech in each window.
  ///   - length: The number of samples of the sound.
  ///   - offset: The number of samples before it.
  /// - Returns: The sections and the probabilities.
  func activity(_ probabilities: [Float], length: Int, after offset: Int = 0) -> Activity {
    let detector = ActivityDetector(options, hop: hop, sampleRate: sampleRate)
    let sections = detector.sections(probabilities, length: length)
    let rate = Double(sampleRate)
    return Activity(
      segments: sections.map {
        Activity.Segment(
          start: Double($0.start + offset) / rate, end: Double($0.end + offset) / rate)
      }, probabilities: probabilities, hop: Double(hop) / rate)
  }

  /// The probabilities.
  public var replacedOutputs: Set<String> { [scores] }

  /// The members of the result.
  public var resultColumn: ResultColumn.Member? {
    .init(Self.resultName, Activity.column(of: []))
  }
}
