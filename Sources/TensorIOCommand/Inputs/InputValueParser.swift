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

/// Reads the value of one layer as the command line writes it.
struct InputValueParser: Sendable {
  /// The most bytes that an argument's file may hold.
  static let maxBytes = 1 << 28

  /// What comes before the name of a file.
  static let filePrefix = "@"
  /// What the name of a file with a JSON document ends in.
  static let jsonSuffix = ".json"
  /// What comes before bytes that are written out.
  static let base64Prefix = "base64:"
  /// What stands for the standard input.
  static let standardInput = "-"

  /// How many documents may name one another in a row.
  static let maxNestingDepth = 4

  private let console: Console
  private var depth = 0

  init(_ console: Console) {
    self.console = console
  }

  /// A value for a layer: a path, JSON, `@file`, `base64:…` or `-`.
  func value(_ text: String, for layer: Layer) throws(ModelError) -> LayerValue {
    do {
      return try valueWithoutLayerContext(text, for: layer)
    } catch {
      throw error.at(layer: layer.name)
    }
  }

  private func valueWithoutLayerContext(_ text: String, for layer: Layer) throws(ModelError) -> LayerValue {
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
    case .array, .scalar:
      guard looksLikeJSON(text) else { throw notNumericError(text) }
      return try value(Array(text.utf8), for: layer, isJSON: true)
    }
  }

  /// The texts that a list names, one for each element; `nil` for a word that is a text itself.
  private func stringList(_ word: String, for layer: Layer) throws(ModelError) -> LayerValue? {
    guard layer.elementCount != 1, isJSONList(word), let list = try? json(Array(word.utf8)).root,
      list.elements?.allSatisfy({ [.string, .array].contains($0.kind) }) == true
    else { return nil }
    return try jsonReader([layer]).value(list, for: layer)
  }

  /// Whether a word may be a number, a list or a word that JSON knows; else it is not worth saying
  /// what is wrong with it as JSON.
  private func looksLikeJSON(_ text: String) -> Bool {
    text.first.map { "[{\"-+.0123456789".contains($0) } ?? false
      || ["true", "false", "null"].contains(text)
  }

  private func notNumericError(_ text: String) -> ModelError {
    let expected = "a number, a list such as [1,2,3], '@file.npy', '@file.bin' or 'base64:…'"
    return ModelError(.input, .wrongType(expected: expected, actual: "'\(text)'"))
  }

  /// Whether a word is a list of numbers rather than the path of a picture, or a pattern, that
  /// begins with a bracket.
  func isJSONList(_ text: String) -> Bool { text.hasPrefix("[") && text.hasSuffix("]") }

  /// The bytes of a file, or of standard input.
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
  /// Everything that a model takes, from a document of data.
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

  /// What a string stands for: a picture's path, a file, bytes; never a number.
  private func stringValue(_ text: String, for layer: Layer) throws(ModelError) -> LayerValue {
    let isNamed = [Self.filePrefix, Self.base64Prefix].contains(where: text.hasPrefix)
    guard isNamed || !layer.isNumeric else {
      throw ModelError(.input, .wrongType(expected: "numbers", actual: "the text '\(text)'"))
    }
    return try valueWithoutLayerContext(text, for: layer)
  }

  private func json(_ bytes: [UInt8]) throws(ModelError) -> JSONDocument {
    do {
      return try JSONDocument(
        parsing: bytes, limits: JSONLimits(bytes: Self.maxBytes),
        dialect: [.trailingCommas, .byteOrderMark])
    } catch {
      throw ModelError(.input, .invalidJSON(error))
    }
  }
}

// MARK: Sources

extension InputValueParser {
  /// Everything that stands on the standard input.
  func standardInput() throws(ModelError) -> [UInt8] {
    do {
      return try console.readInput(Self.maxBytes)
    } catch {
      throw ModelError(.input, .invalidValue(error.message))
    }
  }

  private func value(
    _ bytes: [UInt8], for layer: Layer, isJSON: Bool = false
  ) throws(ModelError) -> LayerValue {
    switch layer.kind {
    case .image where !isJSON: return .bytes(bytes)
    case .string: return .bytes(bytes)
    case .image, .array, .scalar:
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

  /// The reader for a document that another one names.
  private func nested() throws(ModelError) -> InputValueParser {
    guard depth < Self.maxNestingDepth else {
      throw ModelError(.input, .invalidValue("the files name one another too deeply"))
    }
    var reader = self
    reader.depth += 1
    return reader
  }

  private func base64(_ text: Substring) throws(ModelError) -> LayerValue {
    guard let data = Data(base64Encoded: String(text)) else {
      throw ModelError(.input, .invalidValue("what follows base64: is not base64"))
    }
    return .bytes([UInt8](data))
  }

  /// The bytes of a file that holds values.
  func contents(
    _ path: String, limit: Int = InputValueParser.maxBytes
  ) throws(ModelError) -> [UInt8] {
    try FileBytes.read(path, limit: limit, .any, stage: .input)
  }
}

/// The values of placeholders on a command line: `--placeholder name=value`, and words that begin
/// with a placeholder's name.
struct PlaceholderArguments {
  /// The values by name; they are the same for all items.
  let placeholders: Placeholders
  /// The words that are items.
  let remaining: [String]

  /// Takes the placeholders out of the words.
  init(
    _ words: [String], flags: [String], _ layers: [Layer], _ reader: InputValueParser
  ) throws(OperationError) {
    let isPlaceholder = { (word: String) in
      layers.contains { word.hasPrefix("\($0.name)=") }
    }
    var placeholders = Placeholders()
    for word in words.filter(isPlaceholder) + flags {
      let (name, value) = try Self.value(word, layers, reader)
      placeholders.values[name] = value
    }
    self.placeholders = placeholders
    remaining = words.filter { !isPlaceholder($0) }
  }

  private static func value(
    _ word: String, _ layers: [Layer], _ reader: InputValueParser
  ) throws(OperationError) -> (name: String, value: LayerValue) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw .usage("--placeholder takes name=value, got '\(word)'")
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
