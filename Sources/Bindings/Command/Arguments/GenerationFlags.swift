import TensorIO
import TensorIOCore
import TensorIOGeneration
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// The options of commands that generate text.
struct GenerationFlags {
  static let maxTokens = Flag("max-tokens", "N", "Maximum number of tokens (default: the bundle's)")
  static let temperature = Flag(
    "temperature", "T", "Temperature of sampling; 0 takes the most probable token")
  static let topK = Flag("top-k", "K", "Sample from the K most probable tokens; 0 for all")
  static let topP = Flag(
    "top-p", "P", "Sample from the most probable tokens with a total probability of P")
  static let minP = Flag("min-p", "P", "Exclude tokens below P times the highest probability")
  static let repetitionPenalty = Flag(
    "repetition-penalty", "R", "Penalty for tokens that the prompt or the text already has")
  static let noRepeatNGramSize = Flag(
    "no-repeat-ngram-size", "N", "Do not repeat sequences of N tokens; 0 allows all")
  static let beams = Flag(
    "beams", "N", "Follow N texts and write the most probable one at the end")
  static let lengthPenalty = Flag(
    "length-penalty", "P", "With --beams, prefer longer texts the higher P is (default: 1)")
  static let seed = Flag("seed", "N", "Seed of sampling (default: 0)")
  static let stop = Flag("stop", "TEXT", "Stop before this text (repeatable)")
  static let json = Flag("json", "Generate a JSON object")
  static let jsonSchema = Flag(
    "json-schema", "FILE", "Generate JSON that fulfills the JSON Schema in a file")
  static let pattern = Flag(
    "pattern", "REGEX", "Generate text that a regular expression matches as a whole")

  static let flags = [
    maxTokens, temperature, topK, topP, minP, repetitionPenalty, noRepeatNGramSize, beams,
    lengthPenalty, seed, stop, json, jsonSchema, pattern,
  ]

  /// The maximum size of a schema, in bytes.
  private static let maxSchemaBytes = 1 << 20

  private let settings: GenerationSettings

  /// Parses the options, before a model is opened.
  init(_ arguments: ParsedArguments) throws(OperationError) {
    let constraints = [Self.json, Self.jsonSchema, Self.pattern].filter(arguments.has)
    guard constraints.count < 2 else {
      throw .usage("--\(constraints[0].name) and --\(constraints[1].name) exclude each other")
    }
    var values: [JSONValue.Member] = []
    func set(_ flag: Flag, _ value: JSONValue?) {
      if let value { values.append(.init(Self.setting(flag), value)) }
    }
    for flag in Self.numbers { set(flag, arguments.value(flag).map(Self.number)) }
    let stops = arguments.values(Self.stop)
    set(Self.stop, stops.isEmpty ? nil : .strings(stops))
    set(Self.json, arguments.has(Self.json) ? .bool(true) : nil)
    set(Self.jsonSchema, try arguments.value(Self.jsonSchema).map(Self.schema))
    set(Self.pattern, arguments.value(Self.pattern).map(JSONValue.string))
    do throws(ModelError) {
      settings = try GenerationSettings(parsing: JSONValue.object(values).text)
    } catch {
      throw Self.usage(error, arguments)
    }
  }

  private static let numbers = [
    maxTokens, temperature, topK, topP, minP, repetitionPenalty, noRepeatNGramSize, beams,
    lengthPenalty, seed,
  ]

  /// Returns the name of a flag's setting, which has underscores.
  private static func setting(_ flag: Flag) -> String {
    String(flag.name.map { $0 == "-" ? "_" : $0 })
  }

  /// Returns the number that a text is, or the text.
  private static func number(_ text: String) -> JSONValue {
    if let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { return .string(text) }
    return .number(number)
  }

  /// Returns the error for an option whose value its setting does not allow.
  private static func usage(
    _ error: ModelError, _ arguments: ParsedArguments
  ) -> OperationError {
    guard let first = error.diagnostics.first,
      let flag = flags.first(where: { first.path == "/\(setting($0))" }),
      let expected = first.expected, let value = arguments.value(flag)
    else { return .usage("\(error)") }
    return .usage("--\(flag.name) takes \(expected), got '\(value)'")
  }

  /// Returns the schema in a file.
  private static func schema(_ path: String) throws(OperationError) -> JSONValue {
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.contents(of: path, limit: maxSchemaBytes)
    } catch {
      throw .input("unreadable-file", "\(path): \(error.message)")
    }
    do {
      return try JSONDocument(parsing: bytes).root.value
    } catch {
      throw .input("invalid-json", "\(path): \(error)")
    }
  }

  /// Returns the options for a model, whose bundle's settings apply where no option is given.
  func options(for model: Model) -> GenerationOptions { settings.options(for: model) }
}
