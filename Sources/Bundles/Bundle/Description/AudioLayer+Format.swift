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
      "The [features](#audio) that the tensor takes instead of samples: `[frames,bands]`, or the other `order`."
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
