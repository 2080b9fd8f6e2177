import TensorIOAudio
import TensorIOBundle
import TensorIOTasks

/// The fields of a form that asks for the text of a recording.
struct TranscriptionRequest: Sendable {
  /// The forms of responses.
  enum Format: String, CaseIterable {
    case json, text, srt, vtt
    case verbose = "verbose_json"
    case diarized = "diarized_json"

    /// Whether segments have speakers.
    var hasSpeakers: Bool { self == .diarized }
  }

  let model: String
  let file: [UInt8]
  let translates: Bool
  let format: Format
  let isStream: Bool
  let hasWords: Bool
  private let language: String?
  private let prompt: String?
  private let temperature: Double?
  /// Recordings of known speakers by their names.
  private let speakers: [String: AudioBuffer]

  private static let maxSpeakerCount = 16

  /// Reads a form; fields that do not change the text are ignored.
  init(_ request: HTTPRequest, translates: Bool) throws(ClientError) {
    let fields = Fields(try Self.parts(request))
    for name in ["include", "keywords", "languages"]
    where fields[name] != nil {
      throw ClientError(unsupported: name, "'\(name)' is not supported")
    }
    guard let model = fields[Self.modelName] else {
      throw ClientError(invalid: Self.modelName, "expected the name of a model")
    }
    guard let file = fields.bytes("file"), !file.isEmpty else {
      throw ClientError(invalid: "file", "expected the sound as a file")
    }
    (self.model, self.file, self.translates) = (model, Array(file), translates)
    guard fields["chunking_strategy"] ?? "auto" == "auto" else {
      throw ClientError(unsupported: "chunking_strategy", "expected auto")
    }
    let name = fields["response_format"] ?? Format.json.rawValue
    guard let format = Format(rawValue: name) else {
      let names = Format.allCases.map(\.rawValue).joined(separator: ", ")
      throw ClientError(
        unsupported: "response_format", "unsupported format '\(name)'; expected one of \(names)")
    }
    guard !format.hasSpeakers || !translates else {
      throw ClientError(
        unsupported: "response_format", "translations have no format '\(name)'")
    }
    self.format = format
    speakers = try Self.speakers(fields, format)
    isStream = fields["stream"].map { ["true", "1", "True"].contains($0) } ?? false
    let granularities = fields.all("timestamp_granularities")
    guard granularities.allSatisfy(["word", "segment"].contains) else {
      throw ClientError(
        invalid: "timestamp_granularities", "expected 'word' or 'segment'")
    }
    hasWords = granularities.contains("word")
    guard !hasWords || format == .verbose else {
      throw ClientError(
        invalid: "timestamp_granularities", "words require the response_format 'verbose_json'")
    }
    language = try fields["language"].flatMap { (text) throws(ClientError) in
      guard !text.isEmpty else { return nil }
      guard let code = SpokenLanguage.code(of: text) else {
        throw ClientError(
          invalid: "language", "unknown language '\(text)'; expected a code such as 'en'")
      }
      return code
    }
    prompt = fields["prompt"]
    temperature = try fields["temperature"].map { (text) throws(ClientError) in
      guard let number = Double(text), (0...1).contains(number) else {
        throw ClientError(invalid: "temperature", "expected a number from 0 to 1")
      }
      return number
    }
  }

  /// Returns the recordings of known speakers by their names.
  private static func speakers(
    _ fields: Fields, _ format: Format
  ) throws(ClientError) -> [String: AudioBuffer] {
    let (names, sounds) = ("known_speaker_names", "known_speaker_references")
    let (known, references) = (fields.all(names), fields.all(sounds))
    guard !known.isEmpty || !references.isEmpty else { return [:] }
    guard format.hasSpeakers else {
      throw ClientError(
        invalid: names, "known speakers require the response_format '\(Format.diarized.rawValue)'")
    }
    guard known.count == references.count, known.count <= maxSpeakerCount,
      Set(known).count == known.count, !known.contains("")
    else {
      throw ClientError(
        invalid: names,
        "expected up to \(maxSpeakerCount) different names, and a recording of each in '\(sounds)'")
    }
    var speakers: [String: AudioBuffer] = [:]
    for (name, reference) in zip(known, references) {
      guard let data = try? InlineValue.data(in: reference),
        let sound = try? AudioBuffer(decoding: data), !sound.samples.isEmpty
      else {
        throw ClientError(
          invalid: sounds, "expected a data: URL with sound in base64 for '\(name)'")
      }
      speakers[name] = sound
    }
    return speakers
  }

  private static let modelName = "model"

  /// Returns the name of the model in a form; `nil` if there is none.
  static func modelName(in request: HTTPRequest) -> String? {
    (try? parts(request)).flatMap { Fields($0)[modelName] }
  }

  private static func parts(_ request: HTTPRequest) throws(ClientError) -> [MultipartPart] {
    guard let type = request.headers["Content-Type"].flatMap(MediaType.init),
      type.name == "multipart/form-data"
    else {
      throw ClientError(
        .unsupportedMediaType, "unsupported-media-type", "expected multipart/form-data")
    }
    do {
      return try MultipartForm(request.body, type).parts
    } catch {
      throw ClientError(.badRequest, "invalid-form", error.message)
    }
  }

  /// Changes the options of a bundle.
  func apply(to options: inout TranscriptionOptions) {
    if let language { options.language = language }
    if let prompt { options.prompt = prompt }
    options.translates = translates
    options.hasWords = hasWords
    // Other formats have no place for speakers, whose vectors take time.
    options.speakers = format.hasSpeakers ? options.speakers ?? SpeakerOptions() : nil
    options.speakers?.recordings = speakers
    // 0 means that temperatures rise until the text is probable, as with a bundle's defaults.
    if let temperature, temperature > 0 { options.temperatures = [temperature] }
  }
}

/// The parts of a form by name; clients end the names of lists with brackets.
private struct Fields {
  private let parts: [(name: String, body: ArraySlice<UInt8>)]

  init(_ parts: [MultipartPart]) {
    self.parts = parts.map { part in
      (part.name.hasSuffix("[]") ? String(part.name.dropLast(2)) : part.name, part.body)
    }
  }

  func bytes(_ name: String) -> ArraySlice<UInt8>? { parts.first { $0.name == name }?.body }

  func all(_ name: String) -> [String] {
    parts.filter { $0.name == name }.map { String(decoding: $0.body, as: UTF8.self) }
  }

  subscript(name: String) -> String? { all(name).first }
}
