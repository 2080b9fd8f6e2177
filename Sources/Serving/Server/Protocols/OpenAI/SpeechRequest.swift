import TensorIOAudio
import TensorIOBundle
import TensorIOJSON
import TensorIOTasks

/// The members of a request for the sound of a text.
struct SpeechRequest: Sendable {
  /// The forms of the sound.
  enum Format: Sendable, Hashable {
    case wav, pcm
    case compressed(CompressedAudio)

    /// The name in requests.
    var name: String {
      switch self {
      case .wav: "wav"
      case .pcm: "pcm"
      case .compressed(let format): format.rawValue
      }
    }

    static let all = [.wav, .pcm] + CompressedAudio.allCases.map(Format.compressed)
  }

  /// The number of samples per second of the form `pcm`, which has no header.
  static let pcmRate = 24_000
  /// The maximum number of characters of a text.
  private static let maxLength = 4096
  /// The names that clients send without choosing a voice.
  private static let usualVoices: Set = [
    "alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx", "sage",
    "shimmer", "verse", "default",
  ]

  let text: String
  let format: Format
  /// Whether the sound is sent as events.
  let hasEvents: Bool
  private let voice: String?
  private let speed: Double?

  /// Reads a request; members that do not change the sound are ignored.
  init(_ body: JSONNode) throws(ClientError) {
    guard let text = body["input"]?.string, !text.isEmpty else {
      throw ClientError(invalid: "input", "expected a text")
    }
    guard text.unicodeScalars.count <= Self.maxLength else {
      throw ClientError(
        invalid: "input", "the text has more than \(Self.maxLength) characters")
    }
    self.text = text
    let name = body["response_format"].flatMap(Self.present)?.string ?? CompressedAudio.mp3.rawValue
    guard let format = Format.all.first(where: { $0.name == name }) else {
      let names = Format.all.map(\.name).joined(separator: ", ")
      throw ClientError(
        unsupported: "response_format", "unsupported format '\(name)'; expected one of \(names)")
    }
    self.format = format
    switch body["stream_format"].flatMap(Self.present)?.string ?? "audio" {
    case "audio": hasEvents = false
    case "sse": hasEvents = true
    default: throw ClientError(unsupported: "stream_format", "expected 'audio' or 'sse'")
    }
    if hasEvents, case .compressed = format {
      throw ClientError(
        unsupported: "stream_format", "events require the response_format 'wav' or 'pcm'")
    }
    voice = try body["voice"].flatMap(Self.present).map { (node) throws(ClientError) in
      guard let name = node.string ?? node["id"]?.string else {
        throw ClientError(invalid: "voice", "expected the name of a voice")
      }
      return name
    }
    speed = try body["speed"].flatMap(Self.present).map { (node) throws(ClientError) in
      guard let number = node.double, (0.25...4).contains(number) else {
        throw ClientError(invalid: "speed", "expected a number from 0.25 to 4")
      }
      return number
    }
  }

  private static func present(_ node: JSONNode) -> JSONNode? { node.kind == .null ? nil : node }

  /// Changes the options of a bundle with some voices.
  func apply(to options: inout SpeechOptions, voices: [String]) {
    // Clients send the names of voices of others.
    if let voice, voices.contains(voice) || !Self.usualVoices.contains(voice) {
      options.voice = voice
    }
    if let speed { options.speed = speed }
  }
}
