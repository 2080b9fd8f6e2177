#if Everything
  import TensorIOAudio
  import TensorIOBundle
  import TensorIOCore
  import TensorIOJSON
  import TensorIOText

  /// A voice: what makes phonemes of texts, and a model that makes sound of phonemes.
  final class Speaker: Sendable {
    /// The name of the input that takes phonemes.
    let textInput: String
    /// The name of the output with the sound.
    let soundOutput: String
    /// The number of samples per second.
    let sampleRate: Int
    /// The ids of the phonemes.
    let tokenizer: PhonemeTokenizer
    /// The maximum number of phonemes of a run.
    let maxCount: Int
    let voices: VoiceTable
    let phonemizer: Phonemizer
    /// The options of the bundle.
    let options: SpeechOptions

    private let run: ModelRun
    private let voiceInput: String?
    private let speedInput: (name: String, value: [Double])?
    private let scalesInput: (name: String, value: [Double])?

    /// The maximum number of phonemes of a run if the bundle states none.
    private static let defaultMaxCount = 1000

    init(_ info: ModelInfo, _ run: @escaping ModelRun) throws(ModelError) {
      self.run = run
      let text = info.inputs.first { $0.isText && !$0.sharesText }
      guard let text, case .text(let layer) = text.kind,
        let tokenizer = try info.bundle.tokenizer(of: info.description) as? PhonemeTokenizer
      else {
        throw Self.unmet("an input of type text with a tokenizer of the type 'phonemes'", info)
      }
      guard let output = info.outputs.first(where: \.isAudio), case .audio(let sound) = output.kind
      else { throw Self.unmet("an output of the type 'audio'", info) }
      (textInput, soundOutput, sampleRate) = (text.name, output.name, sound.sampleRate)
      self.tokenizer = tokenizer
      // The start and the end have no phoneme.
      maxCount = max(1, layer.maxLength.map { $0 - 2 } ?? Self.defaultMaxCount)
      voiceInput = try Self.input(SpeechTask.voiceInput, info)?.name
      speedInput = try Self.input(SpeechTask.speedInput, info, count: 1)
      scalesInput = try Self.input(SpeechTask.scalesInput, info, count: 3)
      voices = try VoiceTable(info)
      guard voices.isEmpty || voiceInput != nil else {
        throw Self.unmet("'\(SpeechTask.voiceInput)', because it has voices", info)
      }
      phonemizer = Phonemizer(info)
      options = SpeechOptions(info.task)
    }

    private static func unmet(_ requirement: ModelError.Message, _ info: ModelInfo) -> ModelError {
      ModelError(
        .bundle, .unmetRequirement("the task requires " + requirement), file: info.bundle.path)
    }

    /// Returns an input that a setting names, with its default value, or ones; `nil` without the setting.
    private static func input(
      _ setting: String, _ info: ModelInfo, count: Int? = nil
    ) throws(ModelError) -> (name: String, value: [Double])? {
      guard let name = info.task?.settings[setting]?.string else { return nil }
      guard let layer = info.inputs.first(where: { $0.name == name }) else {
        throw unmet("the input '\(name)' that '\(setting)' names", info)
      }
      let value = layer.defaultValue ?? Array(repeating: 1, count: count ?? 0)
      guard count == nil || value.count == count else {
        throw unmet("an input '\(name)' with \(count ?? 0) numbers", info)
      }
      return (name, value)
    }
  }

  extension Speaker {
    /// Throws an error if the options do not fit the bundle.
    func check(_ options: SpeechOptions) throws(ModelError) {
      func reject(_ message: ModelError.Message) -> ModelError {
        ModelError(.input, .invalidValue(message))
      }
      if let voice = options.voice { try voices.check(voice) }
      guard (0.25...4).contains(options.speed) else {
        throw reject("the speed is not a number from 0.25 to 4")
      }
      guard options.speed == 1 || speedInput != nil || scalesInput != nil else {
        throw ModelError(.input, .unsupported("another speed than that of the voice"))
      }
      if let noise = options.noise, !(0...10).contains(noise) {
        throw reject("the noise is not a number from 0 to 10")
      }
      guard options.noise ?? 0 == 0 || scalesInput != nil else {
        throw ModelError(.input, .unsupported("noise with this voice"))
      }
      guard (0...60).contains(options.pause) else {
        throw reject("the pause is not a number of seconds from 0 to 60")
      }
      if let language = options.language { try ESpeakProgram.check(language: language) }
    }

    /// Returns the samples of phonemes, at most as many as fit.
    func samples(
      of phonemes: String, count: Int, _ options: SpeechOptions, _ given: [String: LayerValue]
    ) throws(ModelError) -> [Float] {
      var values: [String: LayerValue] = [:]
      if let speedInput {
        values[speedInput.name] = .vector(speedInput.value.map { $0 * options.speed })
      }
      if let scalesInput {
        var scales = scalesInput.value
        scales[1] /= options.speed
        if let noise = options.noise { (scales[0], scales[2]) = (noise, noise) }
        values[scalesInput.name] = .vector(scales)
      }
      values.merge(given) { $1 }
      let output = try run(
        .strings([phonemes]), voice: options.voice, count: count, values)
      guard case .audio(let sound) = try output[soundOutput] else {
        throw ModelError(
          .output, .wrongType(expected: "sound", actual: "another value"), layer: soundOutput)
      }
      return sound.samples
    }

    /// Runs the model once on phonemes, or on their ids.
    func run(
      _ phonemes: LayerValue, voice: String?, count: Int? = nil, _ given: [String: LayerValue]
    ) throws(ModelError) -> ModelOutput {
      var values = given
      values[textInput] = phonemes
      if let voiceInput, given[voiceInput] == nil {
        var number = count
        if number == nil, case .numbers(let ids) = phonemes { number = ids.count - 2 }
        values[voiceInput] = try voices.value(of: voice, phonemeCount: number ?? 1)
      }
      return try run(.named(values))
    }
  }

  extension LayerValue {
    fileprivate static func vector(_ numbers: [Double]) -> LayerValue {
      .numbers(Numbers(.doubles(numbers), shape: [numbers.count]))
    }
  }
#endif
