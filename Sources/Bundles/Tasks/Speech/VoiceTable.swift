#if Everything
  import Synchronization
  import TensorIOBundle
  import TensorIOCore
  import TensorIOJSON

  /// The voices of a bundle: numbers of speakers, or files with a row for each number of phonemes.
  final class VoiceTable: Sendable {
    private let info: ModelInfo
    private let files: [String: String]
    private let speakers: [String: Int]
    private let usual: String?
    /// The names of the voices, sorted; speakers by their numbers.
    let names: [String]
    /// The number of values of a row.
    private let width: Int
    private let rows = Mutex<[String: [Float]]>([:])

    init(_ info: ModelInfo) throws(ModelError) {
      self.info = info
      files = info[SpeechTask.voices]
      speakers = info[SpeechTask.speakers]
      names = Self.names(in: info.task)
      usual = info.task?.settings[SpeechTask.voice]?.string
      let input = info.task?.settings[SpeechTask.voiceInput]?.string
      width = info.inputs.first { $0.name == input }?.elementCount.map { max(1, $0) } ?? 1
      if let usual { try check(usual) }
    }

    var isEmpty: Bool { files.isEmpty && speakers.isEmpty }

    /// Returns the names of the voices of a task, sorted; speakers by their numbers.
    static func names(in task: TaskDescription?) -> [String] {
      SpeechTask.voices.value(in: task).keys.sorted()
        + SpeechTask.speakers.value(in: task).sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        .map(\.key)
    }

    /// Throws an error if there is no voice with a name.
    func check(_ name: String) throws(ModelError) {
      guard files[name] == nil, speakers[name] == nil else { return }
      let known = names.map { "'\($0)'" }.joined(separator: ", ")
      throw ModelError(
        .input,
        .invalidValue(
          names.isEmpty
            ? "the bundle has one voice, without a name, and no '\(name)'"
            : "the bundle has no voice '\(name)'; its voices are \(known)"))
    }

    /// Returns what the model takes of a voice.
    ///
    /// - Parameters:
    ///   - name: The name; `nil` for that of the bundle.
    ///   - count: The number of phonemes.
    /// - Returns: The number of the speaker, or the row for that many phonemes.
    /// - Throws: A ``ModelError`` if the file of the voice cannot be read.
    func value(of name: String?, phonemeCount count: Int) throws(ModelError) -> LayerValue {
      guard let name = name ?? usual ?? names.first else { return .number(0) }
      if let speaker = speakers[name] { return .number(Double(speaker)) }
      let values = try values(of: name)
      let row = min(max(count - 1, 0), values.count / width - 1)
      return .numbers(
        Numbers(.floats(Array(values[row * width..<(row + 1) * width])), shape: [1, width]))
    }

    private func values(of name: String) throws(ModelError) -> [Float] {
      if let values = rows.withLock({ $0[name] }) { return values }
      try check(name)
      let file = files[name] ?? ""
      let bytes = try info.bundle.bytes(ofAsset: file, limit: ModelBundle.maxTokenizerBytes)
      let size = 4 * width
      guard !bytes.isEmpty, bytes.count.isMultiple(of: size) else {
        throw ModelError(
          .bundle,
          .unreadableFile(
            "assets/\(file)", detail: "the file has no rows of \(width) numbers of 32 bits"),
          file: info.bundle.path)
      }
      let values = (0..<bytes.count / 4).map { index in
        let word = bytes[4 * index..<4 * index + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        return Float(bitPattern: word)
      }
      rows.withLock { $0[name] = values }
      return values
    }
  }
#endif
