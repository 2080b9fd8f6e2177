public import TensorIOAudio
public import TensorIOBundle
public import TensorIOCore

extension Model {
  /// Returns where a recording of any length has speech.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let sound = try AudioBuffer(contentsOf: "meeting.wav")
  /// let activity = try Model(at: "voice-activity.tiobundle").activity(in: sound) {
  ///   $0 = $0.forTranscription
  /// }
  /// let transcript = try Model(at: "whisper.tiobundle").transcribe(sound) {
  ///   $0.sections = activity.segments
  /// }.result()
  /// ```
  ///
  /// The model hears one window after the other, and only their probabilities are kept.
  ///
  /// - Parameters:
  ///   - sound: The recording, of any rate and number of channels.
  ///   - adjust: Changes the options of the bundle.
  /// - Returns: The sections with speech, and the probability of each window.
  /// - Throws: A ``ModelError`` if the model does not detect voice activity, or fails.
  public func activity(
    in sound: AudioBuffer, _ adjust: (inout ActivityOptions) -> Void = { _ in }
  ) throws(ModelError) -> Activity {
    var task = try info.cached { (info) throws(ModelError) in try ActivityTask(info) }
    adjust(&task.options)
    guard case .audio(let layer) = task.input.kind, let length = windowLength(of: task.input.name),
      let samples = try LayerValue.audio(sound).speech(atRate: layer.sampleRate)
    else {
      throw ModelError(
        .bundle,
        .unmetRequirement("the task requires an input of the type 'audio' with a fixed length"),
        file: bundle.path)
    }
    let context = min(layer.context, max(0, length - 1))
    let padded = [Float](repeating: 0, count: context) + samples
    let windows: AudioWindows
    do throws(AudioError) {
      windows = try AudioWindows(
        frameCount: samples.isEmpty ? 0 : padded.count, length: length,
        hop: layer.hop ?? length - context, remainder: AudioWindows.Remainder(layer.remainder))
    } catch {
      throw ModelError(.input, .audio(error))
    }
    // A window in the shape of its tensor is not divided again.
    let shape = layer.features == nil ? layer.shape.dimensions.map { $0 ?? 1 } : [1, length]
    let stream = stream()
    var window = [Float](repeating: 0, count: length)
    var probabilities: [Float] = []
    for frames in windows {
      windows.copy(frames, of: padded, into: &window)
      let numbers =
        context > 0 ? Numbers(.floats(window), shape: shape) : Numbers(.floats(window))
      let output = try stream.run(ModelInput.named([task.input.name: .numbers(numbers)]))
      if let probability = task.probability(in: output.layers) { probabilities.append(probability) }
    }
    return task.activity(probabilities, length: samples.count)
  }
}
