internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Reads the value of one layer as the command line writes it.
struct ValueReader: Sendable {
  /// The most bytes that an argument's file may hold.
  static let dataLimit = 1 << 28
  /// How deep files of JSON may name one another: a file that named itself would never end.
  static let nestingLimit = 4

  fileprivate static let filePrefix = "@"
  fileprivate static let base64Prefix = "base64:"
  private static let standardInput = "-"

  let console: Console
  private var nesting = 0

  init(_ console: Console) {
    self.console = console
  }

  /// A value for a layer: a path, JSON, `@file`, `base64:…` or `-`.
  func value(_ text: String, for layer: Layer) throws(ModelError) -> LayerValue {
    do {
      return try unplacedValue(text, for: layer)
    } catch {
      throw error.at(layer: layer.name)
    }
  }

  private func unplacedValue(_ text: String, for layer: Layer) throws(ModelError) -> LayerValue {
    if text == Self.standardInput { return try value(standardInput(), for: layer) }
    if text.hasPrefix(Self.base64Prefix) {
      return try base64(text.dropFirst(Self.base64Prefix.count))
    }
    if text.hasPrefix(Self.filePrefix) { return try file(String(text.dropFirst()), for: layer) }
    switch layer.kind {
    case .image where text.hasPrefix("["):
      return try value(Array(text.utf8), for: layer, isJSON: true)
    case .image: return .bytes(try picture(text))
    case .string: return .bytes(Array(text.utf8))
    case .array, .scalar: return try value(Array(text.utf8), for: layer, isJSON: true)
    }
  }

  /// A reader of JSON in whose values strings name files, or hold bytes in base64.
  func inputReader(_ layers: [Layer]) -> JSONInputReader {
    JSONInputReader(layers) { (text, layer) throws(ModelError) in
      try quoted(text, for: layer)
    }
  }

  /// A string inside JSON.
  private func quoted(_ text: String, for layer: Layer) throws(ModelError) -> LayerValue {
    guard nesting < Self.nestingLimit else {
      throw ModelError(.input, .unreadableValue("files of JSON name one another too deeply"))
    }
    guard layer.takesQuoted(text) else {
      throw ModelError(.input, .wrongType(expected: "numbers", actual: "the text '\(text)'"))
    }
    var reader = self
    reader.nesting += 1
    return try reader.value(text, for: layer)
  }

  /// The file that a word names as a picture, where it does.
  func picturePath(_ text: String, for layer: Layer) -> String? {
    guard case .image = layer.kind, text != Self.standardInput, !text.hasPrefix("["),
      !text.hasPrefix(Self.base64Prefix)
    else { return nil }
    return text.hasPrefix(Self.filePrefix) ? String(text.dropFirst()) : text
  }

  /// A document of data.
  func json(_ bytes: [UInt8]) throws(ModelError) -> JSONDocument {
    do {
      return try JSONDocument(
        parsing: bytes, limits: JSONLimits(bytes: Self.dataLimit),
        dialect: [.trailingCommas, .byteOrderMark])
    } catch {
      throw ModelError(.input, .invalidJSON(error))
    }
  }

  /// The bytes of a file, or of standard input.
  func bytes(ofFile path: String) throws(CommandFailure) -> [UInt8] {
    if path == Self.standardInput { return try console.input(Self.dataLimit) }
    do {
      return try FileBytes.read(path, limit: Self.dataLimit)
    } catch {
      throw CommandFailure(error.code, error.description, exit: .input)
    }
  }
}

extension ValueReader {
  private func standardInput() throws(ModelError) -> [UInt8] {
    do {
      return try console.input(Self.dataLimit)
    } catch {
      throw ModelError(.input, .unreadableValue(error.message))
    }
  }

  private func value(
    _ bytes: [UInt8], for layer: Layer, isJSON: Bool = false
  ) throws(ModelError) -> LayerValue {
    switch layer.kind {
    case .image where !isJSON: return .bytes(bytes)
    case .string: return .bytes(bytes)
    case .image, .array, .scalar:
      let node = try json(bytes).root
      return try inputReader([layer]).value(node, for: layer)
    }
  }

  private func file(_ path: String, for layer: Layer) throws(ModelError) -> LayerValue {
    let bytes = try contents(path)
    if path.hasSuffix(".json") { return try value(bytes, for: layer, isJSON: true) }
    if path.hasSuffix(".npy") { return .numbers(try NumPyFile(bytes).numbers) }
    return .bytes(bytes)
  }

  private func base64(_ text: Substring) throws(ModelError) -> LayerValue {
    guard let data = Data(base64Encoded: String(text)) else {
      throw ModelError(.input, .unreadableValue("what follows base64: is not base64"))
    }
    return .bytes([UInt8](data))
  }

  private func contents(_ path: String) throws(ModelError) -> [UInt8] {
    do {
      return try FileBytes.read(path, limit: Self.dataLimit)
    } catch {
      throw ModelError(.input, error.reason)
    }
  }

  private func picture(_ path: String) throws(ModelError) -> [UInt8] {
    do {
      return try FileBytes.read(path, limit: ImageLimits.fileBytes)
    } catch {
      throw ModelError(.input, error.reason)
    }
  }
}

extension Layer {
  /// Whether a string inside JSON can stand for this layer's value: numbers have no other spelling
  /// there than their own.
  fileprivate func takesQuoted(_ text: String) -> Bool {
    switch kind {
    case .array, .scalar:
      text.hasPrefix(ValueReader.filePrefix) || text.hasPrefix(ValueReader.base64Prefix)
    case .image, .string: true
    }
  }
}
