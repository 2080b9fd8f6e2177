import TensorIOGeneration

/// A text of a response while it is generated, with the calls of tools in it.
struct GeneratedMessage {
  /// A call of a tool.
  struct Call {
    let id: String
    let name: String
    /// The arguments, as JSON text.
    var arguments = ""
  }

  /// The text without calls.
  private(set) var content = ""
  /// The calls, of which the last one may not be whole.
  private(set) var calls: [Call] = []
  private(set) var pieces: [GeneratedPiece] = []
  /// The text of the model, when it has ended.
  private(set) var text: GeneratedText?
  private let generator: TextGenerator
  private var parser: ToolCallParser?

  /// Creates an empty text.
  init(_ request: GenerationRequest, _ generator: TextGenerator) {
    self.generator = generator
    guard !request.tools.isEmpty else { return }
    // A text that has to be a call is one without the model's own marks.
    let form = request.tools.isRequired ? .objects : generator.toolCallForm ?? .objects
    parser = ToolCallParser(
      form, names: request.tools.names, maxCount: request.tools.maxCallCount)
  }

  /// Why the text ends, in OpenAI's words.
  var finishReason: String {
    guard text?.end != .length else { return "length" }
    return calls.isEmpty ? "stop" : "tool_calls"
  }

  /// Adds a piece, and returns what it adds to the text and its calls.
  mutating func append(_ piece: GeneratedPiece) -> [ToolCallParser.Event] {
    pieces.append(piece)
    guard parser != nil else { return add(piece.text.isEmpty ? [] : [.text(piece.text)]) }
    let special = piece.id.flatMap { generator.specialText(of: $0) }
    return add(parser?.append(piece.text, specialText: special) ?? [])
  }

  /// Ends the text, and returns what was held back.
  mutating func finish(_ text: GeneratedText) -> [ToolCallParser.Event] {
    self.text = text
    return add(parser?.finish() ?? [])
  }

  private mutating func add(_ events: [ToolCallParser.Event]) -> [ToolCallParser.Event] {
    for event in events {
      switch event {
      case .text(let text): content += text
      case .call(let name): calls.append(Call(id: Self.makeID(), name: name))
      case .arguments(let text): calls[calls.count - 1].arguments += text
      }
    }
    return events
  }

  /// Returns an id of nine letters and digits, the only ones that the templates of some models accept.
  private static func makeID() -> String {
    let characters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    return String((0..<9).map { _ in characters[Int.random(in: characters.indices)] })
  }
}
