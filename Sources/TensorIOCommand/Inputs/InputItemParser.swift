import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOJSON
import TensorIOSystem

/// Makes items of the words that follow a bundle on the command line.
///
/// With one declared input, every word is an item of its own; with several, all words together are
/// one item, in the order of `model.json` or by name. A JSON object names all inputs, so it is
/// always an item of its own.
struct InputItemParser: Sendable {
  let layers: [Layer]
  let placeholders: [Layer]
  let valueParser: InputValueParser

  init(_ layers: [Layer], placeholders: [Layer] = [], _ console: Console) {
    self.layers = layers
    self.placeholders = placeholders
    valueParser = InputValueParser(console)
  }

  /// A reader of what a model asks for.
  init(for description: ModelDescription, _ console: Console) {
    // What takes up the model's own state may be named, but is not asked for.
    let state = description.inputs.filter { !description.callerInputs.contains($0) }
    self.init(
      description.callerInputs, placeholders: description.placeholders + state, console)
  }

  /// The items that words stand for.
  func items(_ words: [String]) throws(OperationError) -> InputItemList {
    if let layer = layers.first, layers.count == 1 { return try items(words, for: layer) }
    if words.allSatisfy(isObject) { return InputItemList(items: words.map { document($0) }) }
    if words.count == 1, isDocument(words[0]) { return InputItemList(items: [document(words[0])]) }
    if let pairs = try NamedArguments(words, layers) { return InputItemList(items: [named(pairs)]) }
    return InputItemList(items: [positional(words)])
  }

  /// The items of a file with one JSON value a line.
  func batch(_ path: String) throws(OperationError) -> [InputItem] {
    try valueParser.bytes(ofFile: path).split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self).trimmed }
      .filter { !$0.isEmpty }
      .map { document($0) }
  }
}

// MARK: One declared input

extension InputItemParser {
  private func items(_ words: [String], for layer: Layer) throws(OperationError) -> InputItemList {
    var items: [InputItem] = []
    var isSet = false
    for word in words {
      let text = word.withoutPrefix("\(layer.name)=")
      if isObject(text) || isJSONFile(text) || isNumericInput(text, layer) {
        items.append(document(text))
      } else if let pictures = try imageItems(text, for: layer) {
        items += pictures
        isSet = true
      } else {
        items.append(try single(word, text, for: layer))
      }
    }
    return InputItemList(items: items, isCollection: isSet)
  }

  /// A value, of which the path tells more than the name that may stand before it.
  private func single(
    _ word: String, _ text: String, for layer: Layer
  ) throws(OperationError) -> InputItem {
    if !layer.isImage, let pairs = try NamedArguments([word], layers) { return named(pairs) }
    return InputItem(text) { () throws(ModelError) in .value(try valueParser.value(text, for: layer)) }
  }

  /// The pictures of a folder or a pattern; `nil` when the word is neither.
  private func imageItems(_ word: String, for layer: Layer) throws(OperationError) -> [InputItem]? {
    guard layer.isImage, !valueParser.isJSONList(word), let paths = ImageFileSet(word)?.paths else {
      return nil
    }
    guard !paths.isEmpty else { throw .input("no-pictures", "\(word): there are no pictures") }
    var items: [InputItem] = []
    for path in paths { items.append(try single(path, path, for: layer)) }
    return items
  }
}

// MARK: Several declared inputs

extension InputItemParser {
  private func positional(_ words: [String]) -> InputItem {
    InputItem(words.joined(separator: " ")) { () throws(ModelError) in
      guard words.count == layers.count else {
        throw ModelError(.input, .inputCount(expected: layers.count, actual: words.count))
      }
      var list: [LayerValue] = []
      for (word, layer) in zip(words, layers) {
        list.append(try valueParser.value(word, for: layer))
      }
      return .value(.list(list))
    }
  }

  private func named(_ words: NamedArguments) -> InputItem {
    InputItem(words.text) { () throws(ModelError) in
      try words.validate(against: layers)
      var named: [String: LayerValue] = [:]
      for layer in layers {
        named[layer.name] = try words[layer.name].map { text throws(ModelError) in
          try valueParser.value(text, for: layer)
        }
      }
      return .named(named)
    }
  }
}

// MARK: Documents

extension InputItemParser {
  /// A JSON object names all inputs.
  private func isObject(_ word: String) -> Bool { word.hasPrefix("{") }

  /// Numbers on the standard input are JSON, of whichever form.
  private func isNumericInput(_ word: String, _ layer: Layer) -> Bool {
    word == InputValueParser.standardInput && layer.isNumeric
  }

  private func isJSONFile(_ word: String) -> Bool {
    word.hasPrefix(InputValueParser.filePrefix) && word.hasSuffix(InputValueParser.jsonSuffix)
  }

  /// Of a model with several inputs, a lone list holds all of them.
  private func isDocument(_ word: String) -> Bool {
    isObject(word) || isJSONFile(word) || word.hasPrefix("[") || word == InputValueParser.standardInput
  }

  private func document(_ text: String) -> InputItem {
    InputItem(text) { () throws(ModelError) in
      try valueParser.input(try bytes(ofDocument: text), for: layers, placeholders)
    }
  }

  private func bytes(ofDocument text: String) throws(ModelError) -> [UInt8] {
    if text == InputValueParser.standardInput { return try valueParser.standardInput() }
    return isJSONFile(text) ? try valueParser.contents(String(text.dropFirst())) : Array(text.utf8)
  }
}

extension String {
  fileprivate func withoutPrefix(_ prefix: String) -> String {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
  }

  fileprivate var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }
}

/// Words of the form `name=value`, of which at least one bears the name of a declared input, or
/// which can be nothing else: no number or list has a name before it.
struct NamedArguments: Sendable {
  /// The words as the user wrote them.
  let text: String
  private let values: [String: String]
  /// What stands where a declared name should.
  private let unexpectedNames: [String]

  /// The words by name; `nil` when they are values without names.
  init?(_ words: [String], _ layers: [Layer]) throws(OperationError) {
    var values: [String: String] = [:]
    var unexpected: [String] = []
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if parts.count == 2, layers.contains(where: { $0.name == name }) {
        guard values.updateValue(String(parts[1]), forKey: name) == nil else {
          throw .usage("'\(name)' is given twice")
        }
      } else {
        unexpected.append(name)
      }
    }
    let isMisnamed = layers.allSatisfy(\.isNumeric) && words.allSatisfy(\.looksLikeNamedArgument)
    guard !values.isEmpty || isMisnamed else { return nil }
    text = words.joined(separator: " ")
    self.values = values
    self.unexpectedNames = unexpected
  }

  /// The text behind a name.
  subscript(name: String) -> String? { values[name] }

  /// Throws unless every declared input is named, and nothing else.
  func validate(against layers: [Layer]) throws(ModelError) {
    let declared = layers.map(\.name)
    let missing = declared.filter { values[$0] == nil }
    guard missing.isEmpty, unexpectedNames.isEmpty else {
      throw ModelError(
        .input, .inputNames(missing: missing, unexpected: unexpectedNames, declared: declared))
    }
  }
}

extension String {
  fileprivate var looksLikeNamedArgument: Bool {
    guard let equals = firstIndex(of: "="), let first, first.isLetter || first == "_" else {
      return false
    }
    return self[..<equals].allSatisfy { $0.isLetter || $0.isNumber || "_-./ ".contains($0) }
  }
}

/// The sample inputs that lie beside a model.
struct BundleSamples {
  /// The folder of a bundle that holds them.
  static let folder = "samples"

  private let bundle: ModelBundle

  init(_ bundle: ModelBundle) {
    self.bundle = bundle
  }

  /// The first example, or else the first sample; `nil` where the bundle has neither.
  func firstItems(_ reader: InputItemParser) throws(OperationError) -> InputItemList? {
    if let firstExample { return InputItemList(items: [firstExample]) }
    return try firstItems.map { sample throws(OperationError) in try reader.items([sample]) }
  }

  /// What the first example of the description gives to the model.
  var firstExample: InputItem? {
    guard let example = bundle.description.examples.first else { return nil }
    return InputItem(name(of: example)) { () throws(ModelError) in try bundle.input(of: example) }
  }

  /// The path of an example that is one file, or else its text.
  private func name(of example: ModelExample) -> String {
    guard let text = JSONNode(compactJSON: example.input)?.string else { return example.input }
    if text.hasPrefix(InputValueParser.filePrefix) {
      return "\(InputValueParser.filePrefix)\(bundle.folderPath)/\(text.dropFirst())"
    }
    return takesSingleImage && !text.hasPrefix(InputValueParser.base64Prefix)
      ? "\(bundle.folderPath)/\(text)" : text
  }

  /// The first sample, as a word of the command line.
  var firstItems: String? {
    let folder = "\(bundle.folderPath)/\(Self.folder)"
    if takesSingleImage { return ImageFileSet(folder)?.paths.first }
    let names = (try? FileSystem.entryNames(in: folder)) ?? []
    let document = names.first { $0.hasSuffix(".json") }
    return document.map { "@\(folder)/\($0)" }
  }

  /// All pictures among the samples; `nil` for a model that takes something else.
  var images: [String]? {
    takesSingleImage ? ImageFileSet("\(bundle.folderPath)/\(Self.folder)")?.paths : nil
  }

  private var takesSingleImage: Bool {
    let inputs = bundle.description.callerInputs
    guard inputs.count == 1, case .image = inputs[0].kind else { return false }
    return true
  }
}
