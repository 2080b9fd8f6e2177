import TensorIOJSON

extension AudioLayer {
  /// The highest sample rate.
  private static let maxSampleRate = 768_000

  /// Returns the keys of `audio` layers of a group.
  static func fields(_ group: LayerGroup) -> [Field<AudioLayer>] {
    group == .output ? [ElementType.field(\.elementType), rate, peak] : inputFields
  }

  private static let peak = Field<AudioLayer>(
    "peak", \.peak, .choice(), default: .clip,
    "What happens to samples that are not between -1 and 1: they are limited, or all samples are divided by the largest one."
  )
  .elsewhere("valid only in audio outputs").example("\"scale\"")

  private static let rate = Field<AudioLayer>(
    "rate", \.sampleRate, .integer(1...maxSampleRate),
    required: "the number of samples per second",
    "The number of samples per second; sound of another rate for an input is resampled."
  )
  .elsewhere("valid only in audio layers").example("16000")

  private static let inputFields: [Field<AudioLayer>] = [
    ElementType.field(\.elementType),
    rate,
    Field(
      "hop", \.hop, .integer(1...Layer.maxElements),
      "The number of samples between the starts of two windows."
    )
    .elsewhere(hint).otherwise("the length of a window").example("8000"),
    Field(
      "context", \.context, .integer(0...Layer.maxElements), default: 0,
      """
      The number of samples at the beginning of the tensor that repeat the end of the window before; they are silence in the \
      first window.
      """
    )
    .elsewhere(hint).example("64"),
    Field(
      "remainder", \.remainder, .choice(), default: .pad,
      """
      What happens to samples at the end that do not fill a window: silence follows, the last window \
      ends with the sound, or they are ignored.
      """
    )
    .elsewhere(hint).example("\"drop\""),
    Field(
      "features", \.features, AudioFeatures.format.value,
      "The [spectrogram](#audio) that the tensor takes instead of samples: `[frames,bands]`, or the other `order`."
    )
    .elsewhere("valid only in array and audio inputs").otherwise("none: samples from -1 to 1")
    .reporting(.tensorShape)
    .example("{\"type\": \"log-mel\", \"window\": 400, \"hop\": 160, \"bands\": 64}"),
  ]

  private static let hint = "valid only in audio inputs"

  /// Checks that a shape is that of the layer's spectrogram.
  @Sendable static func checkSpectrogram(
    _ layer: inout Layer, _ fields: ObjectFields, _ reader: inout FormatReader
  ) {
    guard case .audio(let audio) = layer.kind, let features = audio.features,
      let node = fields.valid("shape"), fields.valid("rate") != nil
    else { return }
    let lengths = audio.shape.dimensions.filter { $0 != 1 }
    let isInFrames = features.order == .frames
    let bands = isInFrames ? lengths.last : lengths.first
    let isFitting = (bands ?? nil).map { $0 == features.bands } ?? (lengths.count < 2)
    guard lengths.count <= 2, isFitting else {
      reader.log.error(
        .tensorShape, at: node,
        expected: isInFrames ? "[frames,\(features.bands)]" : "[\(features.bands),frames]",
        found: audio.shape.description,
        "the shape is not that of a spectrogram with \(features.bands) bands")
      return
    }
  }
}

extension AudioFeatures {
  /// The keys of the `features` of sound.
  static let format = ObjectFormat(
    "the features of sound", schema: "audioFeatures",
    AudioFeatures(window: 1, hop: 1, transformLength: 2, bands: 1),
    rules: [
      { features, fields, _ in
        guard fields.valid("fft") == nil else { return }
        features.transformLength = transformLength(forWindow: features.window)
      }
    ]
  ) {
    Field(
      "type", required: "\"log-mel\"",
      FormatReference("`\"log-mel\"`", codes: .wrongType, .unknownSetting),
      "The kind of spectrogram.", schema: { _ in ["const": "log-mel"] },
      read: { node, _, _, reader in
        reader.choice(node, of: [("log-mel", true)], else: .unknownSetting) != nil
      },
      write: { _, writer in writer.member("type", "log-mel") })
    Field("window", \.window, length, required: "a number", "The number of samples in a frame.")
      .example("400")
    Field(
      "window_shape", \.windowShape, .choice(), default: .hann,
      "The window by which the samples of a frame are multiplied: Hann's, or Hamming's."
    )
    .example("\"hamming\"")
    Field(
      "hop", \.hop, length, required: "a number",
      "The number of samples between the starts of two frames."
    )
    .example("160")
    transform
    Field("bands", \.bands, length, required: "a number", "The number of bands.").example("64")
    Field(
      "low", \.minFrequency, .preciseNumber(in: .nonnegative), default: 0, isAlwaysWritten: true,
      "The lowest frequency in hertz.")
    Field(
      "high", \.maxFrequency, .preciseNumber(in: .nonnegative), "The highest frequency in hertz."
    )
    .otherwise("half the rate")
    Field(
      "mel", \.melScale, .choice(), default: .htk, isAlwaysWritten: true,
      "The scale on which the bands are equally wide.")
    Field(
      "triangles", \.triangles, .choice(), default: .hertz, isAlwaysWritten: true,
      "The unit in which the sides of the filters are straight.")
    Field(
      "normalize_bands", \.normalizesBands, .boolean, default: false,
      "Whether all bands have the same area instead of the same height.")
    Field(
      "framing", \.framing, .choice(), default: .windows,
      """
      Where the frames are: they begin at multiples of `hop` and have the length of `window`, as in \
      TensorFlow, or that of `fft` with the window in the middle, as in librosa without centering; or \
      their middles are at multiples of `hop`, where the sound is mirrored at its ends or surrounded by \
      silence.
      """)
    Field(
      "drop_last", \.dropsLastFrame, .boolean, default: false, "Whether the last frame is dropped.")
    Field(
      "order", \.order, .choice(), default: .frames,
      "The order of the tensor: all bands of a frame are adjacent, or all frames of a band.")
    Field(
      "padding", \.padding, .choice(), default: .silence,
      "What fills the frames after the end of the sound: the features of silence, or zeros in place of features."
    )
    Field(
      "power", \.power, .integer(1...2), default: 2, isAlwaysWritten: true,
      "The exponent of the magnitudes: 1 or 2.")
    Field(
      "log", \.logarithm, .choice(), default: .natural, isAlwaysWritten: true,
      "The logarithm: natural, to base 10, or 10 times that to base 10.")
    Field(
      "offset", \.offset, .preciseNumber(in: .nonnegative), default: 0, isAlwaysWritten: true,
      "The number that is added before the logarithm.")
    Field(
      "floor", \.floor, .preciseNumber(in: .nonnegative), default: defaultFloor,
      isAlwaysWritten: true,
      "The lowest number of which the logarithm is computed.")
    Field(
      "range", \.range, .preciseNumber(in: .nonnegative),
      "The largest difference from the maximum of the spectrogram.")
    Field("scale", \.scale, .preciseNumber(), default: 1, "The factor that is applied last.")
    Field("bias", \.bias, .preciseNumber(), default: 0, "The number that is added last.")
  }

  private static let length = ValueFormat<Int>.integer(1...maxTransformLength)

  private static let transform = Field<AudioFeatures>(
    "fft", length.reference,
    "The length of the transform: an even product of 2, 3 and 5, at least `window`.",
    schema: length.schema,
    read: { node, features, fields, reader in
      guard let length = length.read(node, &reader) else { return false }
      features.transformLength = length
      guard fields.valid("window") != nil, length < features.window || !length.isTransformLength
      else { return true }
      reader.log.error(
        .settingOutOfRange, at: node,
        expected: "an even product of 2, 3 and 5 of at least \(features.window)",
        "the transform is shorter than the window, or has a length that is not supported",
        suggestion: "write \(transformLength(forWindow: features.window))")
      return true
    },
    write: { features, writer in writer.member("fft", features.transformLength) }
  )
  .otherwise("the smallest power of two that is not below `window`")
}

extension Int {
  /// Whether a transform can have the length: an even product of 2, 3 and 5.
  fileprivate var isTransformLength: Bool {
    guard self > 0, isMultiple(of: 2) else { return false }
    var rest = self
    for factor in [2, 3, 5] {
      while rest.isMultiple(of: factor) { rest /= factor }
    }
    return rest == 1
  }
}
