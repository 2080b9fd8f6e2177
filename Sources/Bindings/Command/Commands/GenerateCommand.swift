import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTasks

/// `tensorio generate`: generates text with a language model.
struct GenerateCommand: Subcommand {
  static let raw = Flag("raw", "Continue the prompt as it is, without the chat template")
  static let system = Flag("system", "TEXT", "System message before the prompt")

  static let helpPage = HelpPage(
    name: "generate", summary: "Generate text with a language model",
    usage: "[options] <bundle> [<prompt>]",
    discussion: """
      The text is printed as it is generated. Without <prompt>, the prompt is read from standard input.
      A bundle with a chat template answers the prompt; --raw continues it. Runs with the same --seed
      have the same text.
      """,
    flags: GenerationFlags.flags + [system, raw, .textOrJSON, ModelOpener.threads]
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
        "Sample reproducibly"
      ),
    ])

  private let bundle: String
  private let prompt: String?
  private let system: String?
  private let isRaw: Bool
  private let isJSON: Bool
  private let opener: ModelOpener
  private let flags: GenerationFlags

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard let bundle = arguments.positionals.first, arguments.positionals.count < 3 else {
      throw Self.helpPage.usageError(
        arguments.positionals.isEmpty ? "missing <bundle>" : "too many arguments; quote the prompt")
    }
    self.bundle = bundle
    prompt = arguments.positionals.dropFirst().first
    system = arguments.value(Self.system)
    isRaw = arguments.has(Self.raw)
    isJSON = arguments.value(.textOrJSON) == "json"
    (opener, flags) = (try ModelOpener(arguments), try GenerationFlags(arguments))
    if isRaw, system != nil {
      throw .usage("--raw and --system exclude each other: --raw has no messages")
    }
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let model = try opener.model(at: bundle, console)
    var options = flags.options(for: model)
    options.isRaw = isRaw
    let prompt =
      if let prompt { prompt } else { try console.readText("prompt", limit: Self.maxPromptBytes) }
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
    if isJSON {
      console.writeJSONObject { $0.members(of: text) }
    } else {
      console.writeOutput([UInt8(ascii: "\n")])
    }
    console.info(text.speedSummary)
    return .success
  }

  /// The maximum size of a prompt, in bytes.
  private static let maxPromptBytes = 4 << 20
}

extension GeneratedText {
  /// The numbers of tokens and the speed, for people.
  var speedSummary: String {
    let reused = reusedTokenCount > 0 ? ", \(reusedTokenCount) cached" : ""
    let speed = tokensPerSecond.map { ", \($0.formatted(decimals: 1)) tokens per second" } ?? ""
    let end = end == .length ? ", stopped at the limit" : ""
    return "prompt: \(promptTokenCount) tokens\(reused); generated: \(tokens.count)\(speed)\(end)"
  }
}
