import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOImage
import TensorIOJSON
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Parses the values of layers from command-line arguments.
struct InputValueParser: Sendable {
  /// The maximum size of an input file, in bytes.
  static let maxBytes = 1 << 28

  /// The prefix of a file name.
  static let filePrefix = "@"
  /// The suffix of a JSON file's name.
  static let jsonSuffix = ".json"
  /// The prefix of inline data.
  static let base64Prefix = ModelBundle.base64Prefix
  /// The argument for standard input.
  static let standardInput = "-"

  /// The maximum depth of files that refer to other files.
  static let maxNestingDepth = 4

  private let console: Console
  /// The names of the inputs whose tensors hold strings.
  private let textInputs: Set<String>
  private var depth = 0

  init(textInputs: Set<String> = [], _ console: Console) {
    self.textInputs = textInputs
    self.console = console
  }

  /// Whether a layer takes text: its tensor holds strings, or it is declared as such.
  func isText(_ layer: Layer) -> Bool { textInputs.contains(layer.name) }

  /// Whether an argument is the text itself: not a file, inline data, or a JSON value.
  func isPlainText(_ text: String, for layer: Layer) -> Bool {
    guard isText(layer), text != Self.standardInput,
      ![Self.filePrefix, Self.base64Prefix].contains(where: text.hasPrefix)
    else { return false }
    return !["[", "{", "\""].contains { text.hasPrefix($0) }
      || (try? json(Array(text.utf8))) == nil
  }

  /// Parses a value for a layer: a path, JSON, `@file`, `base64:…` or `-`.
  func value(_ text: String, for layer: Layer) throws(ModelError) -> LayerValue {
    do {
      return try valueWithoutLayerContext(text, for: layer)
    } catch {
      throw error.at(layer: layer.name)
    }
  }

  private func valueWithoutLayerContext(
    _ text: String, for layer: Layer
  ) throws(ModelError) -> LayerValue {
    if isPlainText(text, for: layer) { return .strings([text]) }
    if text == Self.standardInput { return try value(standardInput(), for: layer) }
    if text.hasPrefix(Self.base64Prefix) {
      return try base64(text.dropFirst(Self.base64Prefix.count))
    }
    if text.hasPrefix(Self.filePrefix) { return try file(String(text.dropFirst()), for: layer) }
    switch layer.kind {
    case .image where isJSONList(text):
      return try value(Array(text.utf8), for: layer, isJSON: true)
    case .image: return .bytes(try contents(text, limit: ImageLimits.maxFileBytes))
    case .string: return try stringList(text, for: layer) ?? .bytes(Array(text.utf8))
    case .audio where isJSONList(text):
      return try value(Array(text.utf8), for: layer, isJSON: true)
    case .audio: return .bytes(try contents(text))
    case .text: return try value(Array(text.utf8), for: layer, isJSON: true)
    case .array, .scalar:
      guard looksLikeJSON(text) else { throw notNumericError(text) }
      return try value(Array(text.utf8), for: layer, isJSON: true)
    }
  }

  /// Parses a JSON list of strings, one per element; `nil` for an argument that is a string itself.
  private func stringList(_ argument: String, for layer: Layer) throws(ModelError) -> LayerValue? {
    guard layer.elementCount != 1, isJSONList(argument),
      let list = try? json(Array(argument.utf8)).root,
      list.elements?.allSatisfy({ [.string, .array].contains($0.kind) }) == true
    else { return nil }
    return try jsonReader([layer]).value(list, for: layer)
  }

  // Other arguments get a more helpful message than a JSON syntax error.
  private func looksLikeJSON(_ text: String) -> Bool {
    text.first.map { "[{\"-+.0123456789".contains($0) } ?? false
      || ["true", "false", "null"].contains(text)
  }

  private func notNumericError(_ text: String) -> ModelError {
    let expected = "a number, a list such as [1,2,3], '@file.npy', '@file.bin' or 'base64:…'"
    return ModelError(.input, .wrongType(expected: expected, actual: "'\(text)'"))
  }

  /// Whether an argument is a JSON list, rather than an image path or pattern that begins with a
  /// bracket.
  func isJSONList(_ text: String) -> Bool { text.hasPrefix("[") && text.hasSuffix("]") }

  /// Returns the bytes of a file or of standard input.
  func bytes(ofFile path: String) throws(OperationError) -> [UInt8] {
    if path == Self.standardInput { return try console.readInput(Self.maxBytes) }
    do {
      return try contents(path)
    } catch {
      throw OperationError(error)
    }
  }
}

// MARK: JSON

extension InputValueParser {
  /// Parses a JSON document that contains all inputs.
  func input(
    _ bytes: [UInt8], for layers: [Layer], _ placeholders: [Layer]
  ) throws(ModelError) -> ModelInput {
    try jsonReader(layers, placeholders).input(try json(bytes).root)
  }

  private func jsonReader(_ layers: [Layer], _ placeholders: [Layer] = []) -> JSONInputReader {
    JSONInputReader(layers, placeholders: placeholders) { (text, layer) throws(ModelError) in
      try stringValue(text, for: layer)
    }
  }

  /// Resolves a string: the path of an image, a file or inline data, but not a number.
  private func stringValue(_ text: String, for layer: Layer) throws(ModelError) -> LayerValue {
    let isNamed = [Self.filePrefix, Self.base64Prefix].contains(where: text.hasPrefix)
    guard isNamed || !layer.isNumeric || isText(layer) else {
      throw ModelError(.input, .wrongType(expected: "numbers", actual: "the string '\(text)'"))
    }
    if !isNamed, isText(layer) { return .strings([text]) }
    return try valueWithoutLayerContext(text, for: layer)
  }

  private func json(_ bytes: [UInt8]) throws(ModelError) -> JSONDocument {
    do {
      return try JSONDocument(
        parsing: bytes, limits: JSONLimits(bytes: Self.maxBytes),
        dialect: .modelDescription)
    } catch {
      throw ModelError(.input, .invalidJSON(error))
    }
  }
}

// MARK: Sources

extension InputValueParser {
  /// Reads all of standard input.
  func standardInput() throws(ModelError) -> [UInt8] {
    do {
      return try console.readInput(Self.maxBytes)
    } catch {
      throw ModelError(.input, .invalidValue(.init(error.message)))
    }
  }

  private func value(
    _ bytes: [UInt8], for layer: Layer, isJSON: Bool = false
  ) throws(ModelError) -> LayerValue {
    switch layer.kind {
    case .image where !isJSON, .audio where !isJSON, .text where !isJSON: return .bytes(bytes)
    case .string: return .bytes(bytes)
    case .array where isText(layer) && !isJSON: return .bytes(bytes)
    case .image, .audio, .text, .array, .scalar:
      return try jsonReader([layer]).value(try json(bytes).root, for: layer)
    }
  }

  private func file(_ path: String, for layer: Layer) throws(ModelError) -> LayerValue {
    let bytes = try contents(path)
    if path.hasSuffix(Self.jsonSuffix) {
      return try nested().value(bytes, for: layer, isJSON: true)
    }
    if path.hasSuffix(".npy") { return .numbers(try NumPyArray(bytes).numbers) }
    return .bytes(bytes)
  }

  /// Returns a parser for a file that another file refers to.
  private func nested() throws(ModelError) -> InputValueParser {
    guard depth < Self.maxNestingDepth else {
      throw ModelError(
        .input,
        .invalidValue("files refer to each other more than \(Self.maxNestingDepth) levels deep"))
    }
    var parser = self
    parser.depth += 1
    return parser
  }

  private func base64(_ text: Substring) throws(ModelError) -> LayerValue {
    guard let data = Data(base64Encoded: String(text)) else {
      throw ModelError(.input, .invalidValue("invalid base64 data after 'base64:'"))
    }
    return .bytes([UInt8](data))
  }

  /// Reads a file.
  func contents(
    _ path: String, limit: Int = InputValueParser.maxBytes
  ) throws(ModelError) -> [UInt8] {
    try FileBytes.read(path, limit: limit, .any, stage: .input)
  }
}

/// The placeholder values of a command line, given with `--placeholder name=value` or as arguments
/// of the form `name=value`.
struct PlaceholderArguments {
  /// The values by name, which apply to all items.
  let placeholders: Placeholders
  /// The remaining arguments, which are items.
  let remaining: [String]

  /// Extracts the placeholder values from the arguments.
  init(
    _ arguments: [String], flags: [String], _ layers: [Layer], _ reader: InputValueParser
  ) throws(OperationError) {
    let isPlaceholder = { (argument: String) in
      layers.contains { argument.hasPrefix("\($0.name)=") }
    }
    var placeholders = Placeholders()
    for argument in arguments.filter(isPlaceholder) + flags {
      let (name, value) = try Self.value(argument, layers, reader)
      placeholders.values[name] = value
    }
    self.placeholders = placeholders
    remaining = arguments.filter { !isPlaceholder($0) }
  }

  private static func value(
    _ argument: String, _ layers: [Layer], _ reader: InputValueParser
  ) throws(OperationError) -> (name: String, value: LayerValue) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw .usage("--placeholder takes NAME=VALUE, got '\(argument)'")
    }
    let name = String(parts[0])
    do throws(ModelError) {
      guard let layer = layers.first(where: { $0.name == name }) else {
        throw ModelError(.input, .unknownPlaceholder(name, known: layers.map(\.name)))
      }
      return (name, try reader.value(String(parts[1]), for: layer))
    } catch {
      throw OperationError(error)
    }
  }
}
