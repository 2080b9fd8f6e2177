import TensorIOJSON

extension AudioFeatures {
  /// The keys of the `features` of sound.
  static let format = ObjectFormat(
    "the features of sound", schema: "audioFeatures",
    AudioFeatures(window: 1, hop: 1, transformLength: 2, bands: 1),
    readingFirst: ["type"],
    rules: [
      { features, fields, _ in
        guard fields.valid("fft") == nil else { return }
        features.transformLength = transformLength(forWindow: features.window)
      }, checkKeys, checkGroups,
    ]
  ) {
    Field(
      "type", \.kind, .choice(),
      required: Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or "),
      """
      What computes the features: a log-mel spectrogram; the frontend of microWakeWord and TensorFlow's `micro_speech` in \
      integers; or a function of the bundle, which is run once for each frame.
      """
    )
    .example("\"micro\"")
    Field(
      "function", \.function, .nonemptyString,
      "The [function](#functions) that computes the features of a frame from its samples, for the type `function`."
    )
    .example("\"encoder\"").reporting(.unknownFunction)
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
      "The lowest frequency in hertz."
    )
    .written { $0.kind != .function }
    Field(
      "high", \.maxFrequency, .preciseNumber(in: .nonnegative), "The highest frequency in hertz."
    )
    .otherwise("half the rate")
    Field(
      "mel", \.melScale, .choice(), default: .htk, isAlwaysWritten: true,
      "The scale on which the bands are equally wide."
    )
    .written { $0.kind == .logMel }
    Field(
      "triangles", \.triangles, .choice(), default: .hertz, isAlwaysWritten: true,
      "The unit in which the sides of the filters are straight."
    )
    .written { $0.kind == .logMel }
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
      "The exponent of the magnitudes: 1 or 2."
    )
    .written { $0.kind == .logMel }
    Field(
      "log", \.logarithm, .choice(), default: .natural, isAlwaysWritten: true,
      "The logarithm: natural, to base 10, or 10 times that to base 10."
    )
    .written { $0.kind == .logMel }
    Field(
      "offset", \.offset, .preciseNumber(in: .nonnegative), default: 0, isAlwaysWritten: true,
      "The number that is added before the logarithm."
    )
    .written { $0.kind == .logMel }
    Field(
      "floor", \.floor, .preciseNumber(in: .nonnegative), default: defaultFloor,
      isAlwaysWritten: true,
      "The lowest number of which the logarithm is computed."
    )
    .written { $0.kind == .logMel }
    Field(
      "range", \.range, .preciseNumber(in: .nonnegative),
      "The largest difference from the maximum of the spectrogram.")
    Field(
      "range_frames", \.rangeFrames, length,
      """
      The number of frames whose maximum counts for `range`, from the beginning of a window; a window has as many samples as whole \
      groups need.
      """
    )
    .otherwise("all frames of the window").example("8")
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
  .written { $0.kind != .function }
}

extension AudioFeatures {
  /// The keys that apply to all kinds of features.
  private static let commonKeys: Set = ["type", "window", "hop", "bands", "order", "padding"]

  /// The keys of the kind of features; `nil` for all except `function`.
  private var keys: Set<String>? {
    switch kind {
    case .logMel: nil
    case .micro: Self.commonKeys.union(["fft", "low", "high", "scale", "bias"])
    case .function: Self.commonKeys.union(["function"])
    }
  }

  /// Reports keys of other kinds of features.
  @Sendable private static func checkKeys(
    _ features: inout AudioFeatures, _ fields: ObjectFields, _ reader: inout FormatReader
  ) {
    guard fields.valid("type") != nil else { return }
    if features.kind == .function, fields["function"] == nil {
      reader.log.missingKey(
        "function", in: fields.node, expected: "the name of a function",
        "missing key \"function\"", suggestion: "add \"function\", the name of a function")
    }
    for member in fields.node.members.map(Array.init) ?? [] where !reader.log.isFull {
      let name = member.name
      guard fields[name] != nil, !(features.keys?.contains(name) ?? (name != "function")) else {
        continue
      }
      reader.log.error(
        .misplacedKey, at: member.key,
        expected: "no \"\(name)\" in features of the type \"\(features.kind.rawValue)\"",
        "the key \"\(name)\" does not apply to features of the type \"\(features.kind.rawValue)\"",
        suggestion: "remove \"\(name)\"")
    }
  }

  /// Reports groups of frames that have no common beginning.
  @Sendable private static func checkGroups(
    _ features: inout AudioFeatures, _ fields: ObjectFields, _ reader: inout FormatReader
  ) {
    guard let node = fields.valid("range_frames"), fields.valid("framing") != nil,
      [.centered, .centeredInSilence].contains(features.framing) || features.dropsLastFrame
    else { return }
    reader.log.error(
      .settingOutOfRange, at: node, expected: "frames that begin at multiples of the hop",
      "groups of frames require the framing \"windows\" or \"transforms\" and all frames",
      suggestion: "remove \"range_frames\"")
  }
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
