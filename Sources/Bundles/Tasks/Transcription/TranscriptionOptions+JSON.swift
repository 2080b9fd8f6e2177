#if Everything
  package import TensorIOBundle
  package import TensorIOCore
  import TensorIOJSON

  extension TranscriptionOptions {
    /// Creates the options of a call that is not written in Swift: those of the bundle, with those of a JSON object in their
    /// place.
    ///
    /// - Throws: A ``ModelError`` that names the first option that is unknown or has an invalid value.
    package init(for model: Model, parsing json: String?) throws(ModelError) {
      let task = try TaskDescription(for: model, parsing: json, Self.format)
      self.init(task)
      seed = UInt64(max(0, Self.seed.value(in: task)))
      guard task.settings[Self.sections.key] != nil else { return }
      sections = try Self.sections.value(in: task).map { (times) throws(ModelError) in
        guard times.count == 2 else {
          throw ModelError(.input, .failed("\"sections\" are pairs of numbers, not \(times.count)"))
        }
        return Activity.Segment(start: times[0], end: times[1])
      }
    }

    private static let seed = TaskSetting.integer(
      "seed", in: 0...Int.max, default: 0, "The seed of the random numbers above temperature 0.")

    private static let sections = TaskSetting<[[Double]]>(
      "sections",
      .list(
        of: .list(of: .preciseNumber(in: .nonnegative), "numbers").onOneLine, "pairs of numbers"),
      default: [],
      "The sections that are transcribed, as pairs of times in seconds.",
      convert: { $0.elements?.map { $0.elements?.compactMap(\.double) ?? [] } })

    private static let format = ObjectFormat.options(
      schema: "transcriptionOptions", TranscriptionTask.options + [seed.field, sections.field])
  }
#endif
