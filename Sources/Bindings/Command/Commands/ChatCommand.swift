import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// `tensorio chat`: a conversation with a language model in the terminal.
struct ChatCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "chat", summary: "Chat with a language model",
    usage: "[options] <bundle>",
    discussion: """
      Each line is a message, and the answer is printed as it is generated. An interrupt (Ctrl-C) ends the
      answer. /new starts a new conversation; /quit, or the end of the input (Ctrl-D), ends the chat.
      Earlier messages stay in the model's caches and are not processed again.
      """,
    flags: GenerationFlags.flags + [GenerateCommand.system, ModelOpener.threads]
      + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio chat smollm2.tiobundle", "Chat with a model"),
      (
        "tensorio chat smollm2.tiobundle --system \"Answer in one sentence.\" --temperature 0.7",
        "Give instructions, and sample tokens"
      ),
    ])

  private let bundle: String
  private let opener: ModelOpener
  private let flags: GenerationFlags
  private let system: String?

  init(_ arguments: ParsedArguments) throws(OperationError) {
    bundle = try arguments.singlePositional("<bundle>", Self.helpPage)
    (opener, flags) = (try ModelOpener(arguments), try GenerationFlags(arguments))
    system = arguments.value(GenerateCommand.system)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let model = try opener.model(at: bundle, console)
    let options = flags.options(for: model)
    func begin() throws(OperationError) -> Conversation {
      try OperationError.rethrowing { () throws(ModelError) in
        try model.conversation(system: system, options: options)
      }
    }
    var conversation = try begin()
    var lines = try LineReader(console)
    while let line = try Self.next(&lines, console) {
      switch line {
      case "": continue
      case "/quit": return .success
      case "/new":
        conversation = try begin()
        continue
      default: break
      }
      do throws(ModelError) {
        try Self.answer(line, in: conversation, console)
      } catch {
        // The conversation goes on, for example after a message that is too long.
        console.printError(OperationError(error))
      }
    }
    return .success
  }

  private static func next(
    _ lines: inout LineReader, _ console: Console
  ) throws(OperationError) -> String? {
    if console.isInputTerminal { console.writeOutput(Array("> ".utf8)) }
    return try lines.next()
  }

  private static func answer(
    _ message: String, in conversation: Conversation, _ console: Console
  ) throws(ModelError) {
    let answer = try conversation.send(message)
    let isInterrupted = console.observeInterrupts()
    while !isInterrupted(), let piece = try answer.next() { console.writeText(piece.text) }
    console.writeOutput([UInt8(ascii: "\n")])
    console.info(answer.partialResult.speedSummary)
  }
}
