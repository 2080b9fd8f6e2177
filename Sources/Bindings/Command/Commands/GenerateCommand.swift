import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// `tensorio generate`: writes the answer of a language model.
struct GenerateCommand: Subcommand {
  static let raw = Flag("raw", "Continue the prompt as it is, without the template of messages")
  static let system = Flag("system", "TEXT", "Instructions that come before the prompt")
  static let format = Flag(
    "format", "FORMAT", "Output format: text or json (default: text)", choices: ["text", "json"])

  static let helpPage = HelpPage(
    name: "generate", summary: "Write a text with a language model",
    usage: "[options] <bundle> [<prompt>]",
    discussion: """
      The text appears while the model writes it. Without <prompt>, the prompt is read from standard
      input. A bundle with a template of messages answers the prompt; --raw continues it. The same
      --seed gives the same text on every machine.
      """,
    flags: GenerationFlags.flags + [system, raw, format, ModelOpener.threads]
      + ModelOpener.runtimeFlags,
    examples: [
      (
        "tensorio generate smollm2.tiobundle \"What is the capital of France?\"",
        "Answer a question"
      ),
      (
        "tensorio generate smollm2.tiobundle --raw --max-tokens 20 \"Once upon a time\"",
        "Continue a text"
      ),
      (
        "tensorio generate smollm2.tiobundle --temperature 0.8 --top-p 0.9 --seed 7 < prompt.txt",
        "Draw tokens, reproducibly"
      ),
    ])

  private let bundle: String
  private let prompt: String?
  private let system: String?
  private let isRaw: Bool
  private let isJSON: Bool
  private let opener: ModelOpener
  private let arguments: ParsedArguments

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard let bundle = arguments.positionals.first, arguments.positionals.count < 3 else {
      throw Self.helpPage.usageError(
        arguments.positionals.isEmpty ? "missing <bundle>" : "too many arguments; quote the prompt")
    }
    (self.bundle, self.arguments) = (bundle, arguments)
    prompt = arguments.positionals.dropFirst().first
    system = arguments.value(Self.system)
    isRaw = arguments.has(Self.raw)
    isJSON = arguments.value(Self.format) == "json"
    opener = try ModelOpener(arguments)
    if isRaw, system != nil { throw .usage("--raw has no messages, so it excludes --system") }
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let model = try opener.model(at: bundle, console)
    var options = try GenerationFlags.options(arguments, model)
    options.isRaw = isRaw
    let prompt = if let prompt { prompt } else { try Self.standardInput(console) }
    let generation = try OperationError.rethrowing { () throws(ModelError) -> TextGeneration in
      guard let system else { return try model.generate(prompt, options: options) }
      return try model.generate([.system(system), .user(prompt)], options: options)
    }
    try OperationError.rethrowing { () throws(ModelError) in
      while let piece = try generation.next() {
        if !isJSON, !piece.text.isEmpty { console.writeText(piece.text) }
      }
    }
    let text = generation.partialResult
    if isJSON { Self.write(text, to: console) } else { console.writeOutput([UInt8(ascii: "\n")]) }
    console.info(text.speedSummary)
    return .success
  }

  private static func write(_ text: GeneratedText, to console: Console) {
    console.writeJSONObject { writer in
      writer.member("text", text.text)
      writer.member("end", text.end.rawValue)
      writer.member("prompt_tokens", text.promptTokenCount)
      writer.key("tokens")
      writer.numbers(text.tokens)
      writer.member("prompt_seconds", text.promptDuration / .seconds(1))
      writer.member("seconds", text.duration / .seconds(1))
    }
  }

  /// The maximum size of a prompt, in bytes.
  private static let maxPromptBytes = 4 << 20

  private static func standardInput(_ console: Console) throws(OperationError) -> String {
    let bytes = try console.readInput(maxPromptBytes)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .usage("the prompt on standard input is not text in UTF-8")
    }
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}

extension GeneratedText {
  /// What the text has cost, for people.
  var speedSummary: String {
    let reused = reusedTokenCount > 0 ? ", \(reusedTokenCount) of them from before" : ""
    let speed = tokensPerSecond.map { ", \($0.formatted(decimals: 1)) tokens per second" } ?? ""
    let end = end == .length ? ", ended by the limit" : ""
    return "\(promptTokenCount) tokens read\(reused), \(tokens.count) written\(speed)\(end)"
  }
}
