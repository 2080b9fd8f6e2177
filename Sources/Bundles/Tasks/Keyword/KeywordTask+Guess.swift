import TensorIOBundle
public import TensorIOCore
import TensorIOJSON
import TensorIOSystem

extension KeywordTask {
  /// Recognizes the heads of openWakeWord, whose embedding model is beside them, and models of microWakeWord, whose manifest
  /// is.
  public static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    openWakeWord(evidence) ?? microWakeWord(evidence)
  }

  /// The rate of both families, and the number of samples between the windows of openWakeWord.
  private static let rate = 16_000
  private static let embeddingHop = 1280
  private static let embeddingCount = 96
  /// The name of the function that computes embeddings, and the file of its model.
  private static let embeddingName = "embedding"
  private static let embeddingFile = "embedding_model"

  // MARK: openWakeWord

  /// Returns the embedding model that a head of openWakeWord needs.
  public static func functions(of model: String, _ signature: ModelSignature) -> [String: String] {
    guard signature.inputs.count == 1, headLength(signature.inputs[0].shape) != nil else {
      return [:]
    }
    let folder = FilePath.parent(of: model)
    let path = "\(folder)/\(embeddingFile).\(FilePath.pathExtension(of: model))"
    return FileKind(at: path) == .file ? [embeddingName: path] : [:]
  }

  /// Returns the number of embeddings that a head takes; `nil` for other models.
  private static func headLength(_ shape: TensorShape) -> Int? {
    let lengths = shape.dimensions
    guard lengths.count == 3, lengths[0] ?? 1 == 1, lengths[2] == embeddingCount else { return nil }
    return lengths[1]
  }

  /// The spectrogram that the embedding model takes, as its feature model computes it from integers of 16 bits.
  private static var spectrogram: AudioFeatures {
    var features = AudioFeatures(window: 400, hop: 160, transformLength: 512, bands: 32)
    (features.minFrequency, features.maxFrequency) = (60, 3800)
    (features.melScale, features.normalizesBands) = (.slaney, true)
    features.framing = .transforms
    (features.logarithm, features.range, features.rangeFrames) = (.decibels, 80, 8)
    // The feature model takes integers: its logarithms are those of numbers that are 2^15 times as large.
    (features.floor, features.scale) = (9.313225746154785e-20, 0.1)
    features.bias = 11.030899869919436
    return features
  }

  private static func openWakeWord(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    let description = evidence.description
    guard description.inputs.count == 1, description.outputs.count == 1,
      let count = headLength(description.inputs[0].shape),
      let function = description.functions[embeddingName]?.inputs?.first,
      function.shape.dimensions.dropFirst() == [76, 32, 1]
    else { return nil }
    let frame = AudioLayer(
      shape: [1, 76, 32, 1], sampleRate: rate, hop: embeddingHop, remainder: .drop,
      features: spectrogram)
    let window = frame.features?.sampleCount(ofFrames: 76) ?? 1
    var features = AudioFeatures(
      window: window, hop: embeddingHop, transformLength: 2, bands: embeddingCount)
    (features.kind, features.function) = (.function, embeddingName)
    // The silence before a sound ends where a window of the original begins.
    let length = features.sampleCount(ofFrames: count)
    let context = (length - 1) / embeddingHop * embeddingHop
    var guess = emptyGuess(word: evidence.fileStem.replacing("_", with: " "))
    guess.inputs[0] = Layer(
      name: description.inputs[0].name,
      kind: .audio(
        AudioLayer(
          shape: [1, count, embeddingCount], sampleRate: rate, hop: embeddingHop, context: context,
          remainder: .drop, features: features)))
    guess.functionInputs[embeddingName] = [Layer(name: function.name, kind: .audio(frame))]
    return guess
  }

  // MARK: microWakeWord

  private static func microWakeWord(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    let description = evidence.description
    guard !evidence.modelPath.isEmpty, description.inputs.count == 1,
      description.outputs.count == 1,
      let manifest = CompanionFile.json(
        at: FilePath.parent(of: evidence.modelPath) + "/" + FilePath.stem(of: evidence.modelPath)
          + ".json"),
      let settings = manifest["micro"],
      let cutoff = settings["probability_cutoff"]?.double, 0...1 ~= cutoff,
      let bands = description.inputs[0].shape.dimensions.last ?? nil,
      description.inputs[0].shape.dimensions.count == 3,
      let count = description.inputs[0].shape.dimensions[1]
    else { return nil }
    let step = max(1, settings["feature_step_size"]?.int ?? 10)
    var features = AudioFeatures(
      window: 480, hop: step * rate / 1000, transformLength: 512, bands: bands)
    features.kind = .micro
    (features.minFrequency, features.maxFrequency) = (125, 7500)
    features.scale = 10.0 / 256
    var guess = emptyGuess(word: manifest["wake_word"]?.string ?? evidence.fileStem)
    guess.inputs[0] = Layer(
      name: description.inputs[0].name,
      kind: .audio(
        AudioLayer(
          shape: [1, count, bands], sampleRate: rate, hop: count * features.hop,
          remainder: .drop, features: features)))
    guess.areSettingsStated = true
    guess.settings[threshold.key] = .number(cutoff)
    if let mean = settings["sliding_window_size"]?.int, mean >= 1 {
      guess.settings[meanSteps.key] = .integer(Int64(mean))
    }
    return guess
  }

  private static func emptyGuess(word: String) -> TaskGuess {
    var guess = TaskGuess(format.names[0], roles: [0: .scores], confidence: .certain)
    guess.settings[words.key] = .array([.string(word)])
    return guess
  }
}
