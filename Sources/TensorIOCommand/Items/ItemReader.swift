internal import TensorIOCore

/// Makes items of the words that follow a bundle on the command line.
///
/// With one declared input, every word is an item of its own; with several, all words together are
/// one item, in the order of `model.json` or by name. A JSON object names all inputs, so it is
/// always an item of its own.
struct ItemReader: Sendable {
  let layers: [Layer]
  let placeholders: [Layer]
  let values: ValueReader

  init(_ layers: [Layer], placeholders: [Layer] = [], _ console: Console) {
    self.layers = layers
    self.placeholders = placeholders
    values = ValueReader(console)
  }

  /// A reader of what a model asks for.
  init(for description: ModelDescription, _ console: Console) {
    // What takes up the model's own state may be named, but is not asked for.
    let state = description.inputs.filter { !description.askedInputs.contains($0) }
    self.init(
      description.askedInputs, placeholders: description.placeholders + state, console)
  }

  /// The items that words stand for.
  func items(_ words: [String]) throws(CommandFailure) -> ItemList {
    if let layer = layers.first, layers.count == 1 { return try items(words, for: layer) }
    if words.allSatisfy(isObject) { return ItemList(items: words.map { document($0) }) }
    if words.count == 1, isDocument(words[0]) { return ItemList(items: [document(words[0])]) }
    if let pairs = try NamedWords(words, layers) { return ItemList(items: [named(pairs)]) }
    return ItemList(items: [positional(words)])
  }

  /// The items of a file with one JSON value a line.
  func batch(_ path: String) throws(CommandFailure) -> [Item] {
    try values.bytes(ofFile: path).split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self).trimmed }
      .filter { !$0.isEmpty }
      .map { document($0) }
  }
}

// MARK: One declared input

extension ItemReader {
  private func items(_ words: [String], for layer: Layer) throws(CommandFailure) -> ItemList {
    var items: [Item] = []
    var isSet = false
    for word in words {
      let text = word.withoutPrefix("\(layer.name)=")
      if isObject(text) || isJSONFile(text) || isNumericInput(text, layer) {
        items.append(document(text))
      } else if let pictures = try pictures(text, for: layer) {
        items += pictures
        isSet = true
      } else {
        items.append(try single(word, text, for: layer))
      }
    }
    return ItemList(items: items, isSet: isSet)
  }

  /// A value, of which the path tells more than the name that may stand before it.
  private func single(
    _ word: String, _ text: String, for layer: Layer
  ) throws(CommandFailure) -> Item {
    if !layer.isPicture, let pairs = try NamedWords([word], layers) { return named(pairs) }
    return Item(text) { () throws(ModelError) in .value(try values.value(text, for: layer)) }
  }

  /// The pictures of a folder or a pattern; `nil` when the word is neither.
  private func pictures(_ word: String, for layer: Layer) throws(CommandFailure) -> [Item]? {
    guard layer.isPicture, !values.isJSONList(word), let paths = PictureSet(word)?.paths else {
      return nil
    }
    guard !paths.isEmpty else { throw .input("no-pictures", "\(word): there are no pictures") }
    var items: [Item] = []
    for path in paths { items.append(try single(path, path, for: layer)) }
    return items
  }
}

// MARK: Several declared inputs

extension ItemReader {
  private func positional(_ words: [String]) -> Item {
    Item(words.joined(separator: " ")) { () throws(ModelError) in
      guard words.count == layers.count else {
        throw ModelError(.input, .inputCount(expected: layers.count, actual: words.count))
      }
      var list: [LayerValue] = []
      for (word, layer) in zip(words, layers) {
        list.append(try values.value(word, for: layer))
      }
      return .value(.list(list))
    }
  }

  private func named(_ words: NamedWords) -> Item {
    Item(words.text) { () throws(ModelError) in
      try words.check(against: layers)
      var named: [String: LayerValue] = [:]
      for layer in layers {
        named[layer.name] = try words[layer.name].map { text throws(ModelError) in
          try values.value(text, for: layer)
        }
      }
      return .named(named)
    }
  }
}

// MARK: Documents

extension ItemReader {
  /// A JSON object names all inputs.
  private func isObject(_ word: String) -> Bool { word.hasPrefix("{") }

  /// Numbers on the standard input are JSON, of whichever form.
  private func isNumericInput(_ word: String, _ layer: Layer) -> Bool {
    word == ValueReader.standardInput && layer.isNumeric
  }

  private func isJSONFile(_ word: String) -> Bool {
    word.hasPrefix(ValueReader.filePrefix) && word.hasSuffix(ValueReader.documentEnding)
  }

  /// Of a model with several inputs, a lone list holds all of them.
  private func isDocument(_ word: String) -> Bool {
    isObject(word) || isJSONFile(word) || word.hasPrefix("[") || word == ValueReader.standardInput
  }

  private func document(_ text: String) -> Item {
    Item(text) { () throws(ModelError) in
      try values.input(try bytes(ofDocument: text), for: layers, placeholders)
    }
  }

  private func bytes(ofDocument text: String) throws(ModelError) -> [UInt8] {
    if text == ValueReader.standardInput { return try values.standardInput() }
    return isJSONFile(text) ? try values.contents(String(text.dropFirst())) : Array(text.utf8)
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
