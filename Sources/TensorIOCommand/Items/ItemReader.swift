internal import TensorIOCore

/// Makes items of the words that follow a bundle on the command line.
///
/// With one declared input, every word is an item of its own; with several, all words together are
/// one item, in the order of `model.json` or by name.
struct ItemReader: Sendable {
  let layers: [Layer]
  let values: ValueReader

  init(_ layers: [Layer], _ console: Console) {
    self.layers = layers
    values = ValueReader(console)
  }

  /// The items that words stand for.
  func items(_ words: [String]) throws(CommandFailure) -> ItemList {
    if words.count == 1, isDocument(words[0]) {
      return ItemList(items: [document(words[0])], isSet: false)
    }
    guard let layer = layers.first, layers.count == 1 else {
      return ItemList(items: [named(words) ?? positional(words)], isSet: false)
    }
    var items: [Item] = []
    var isSet = false
    for word in words {
      let text = pair(word)?.text ?? word
      if let pictures = try pictures(text, for: layer) {
        items += pictures
        isSet = true
      } else {
        items.append(isDocument(word) ? document(word) : single(text, for: layer))
      }
    }
    return ItemList(items: items, isSet: isSet)
  }

  /// The items of a file with one JSON value a line.
  func batch(_ path: String) throws(CommandFailure) -> [Item] {
    // Only line feeds end a line: what else Unicode breaks lines at may stand inside a string.
    let lines = try values.bytes(ofFile: path).split(separator: UInt8(ascii: "\n"))
    return lines.map { $0.trimmingBlanks }.filter { !$0.isEmpty }.map(document)
  }
}

extension ItemReader {
  /// A JSON object names all inputs; a list of a model with several inputs holds all of them.
  private func isDocument(_ word: String) -> Bool {
    word.hasPrefix("{") || (layers.count > 1 && word.hasPrefix("["))
  }

  private func document(_ text: String) -> Item { document(Array(text.utf8)[...]) }

  private func document(_ text: ArraySlice<UInt8>) -> Item {
    Item(String(decoding: text, as: UTF8.self)) { () throws(ModelError) in
      let document = try values.json(Array(text))
      return try values.inputReader(layers).input(document.root)
    }
  }

  private func single(_ word: String, for layer: Layer) -> Item {
    Item(word, picture: values.picturePath(word, for: layer)) { () throws(ModelError) in
      .value(try values.value(word, for: layer))
    }
  }

  private func positional(_ words: [String]) -> Item {
    let picture = zip(words, layers).lazy.compactMap { values.picturePath($0, for: $1) }.first
    return Item(words.joined(separator: " "), picture: picture) { () throws(ModelError) in
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

  /// One item of `name=value` for every input; `nil` when no word names an input.
  private func named(_ words: [String]) -> Item? {
    let pairs = words.map(pair)
    guard pairs.contains(where: { $0 != nil }) else { return nil }
    let picture = pairs.lazy.compactMap(\.self)
      .compactMap { values.picturePath($0.text, for: $0.layer) }.first
    return Item(words.joined(separator: " "), picture: picture) { () throws(ModelError) in
      var named: [String: LayerValue] = [:]
      for (word, pair) in zip(words, pairs) {
        guard let pair else { throw refusal("'\(word)' names none of the inputs", layers) }
        guard named[pair.layer.name] == nil else {
          throw refusal("'\(pair.layer.name)' is given twice", layers)
        }
        named[pair.layer.name] = try values.value(pair.text, for: pair.layer)
      }
      return .named(named)
    }
  }

  /// The parts of `name=value` with the name of an input.
  private func pair(_ word: String) -> (layer: Layer, text: String)? {
    guard let equals = word.firstIndex(of: "=") else { return nil }
    guard let layer = layers.first(where: { $0.name == word[..<equals] }) else { return nil }
    return (layer, String(word[word.index(after: equals)...]))
  }

  /// The pictures of a folder or a pattern; `nil` when the word is neither.
  private func pictures(_ word: String, for layer: Layer) throws(CommandFailure) -> [Item]? {
    guard case .image = layer.kind else { return nil }
    guard let paths = PictureSet(word)?.paths else { return nil }
    // A bracket begins a pattern, and a list of pixels.
    if paths.isEmpty, word.hasPrefix("[") { return nil }
    guard !paths.isEmpty else { throw .input("no-pictures", "\(word): there are no pictures") }
    return paths.map { single($0, for: layer) }
  }
}

private func refusal(_ problem: String, _ layers: [Layer]) -> ModelError {
  let names = layers.map { "'\($0.name)'" }.joined(separator: ", ")
  return ModelError(.input, .unreadableValue("\(problem); the inputs are \(names)"))
}

extension ArraySlice<UInt8> {
  /// The bytes without blanks and carriage returns around them.
  fileprivate var trimmingBlanks: ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    let head = drop(while: isBlank)
    let end = head.lastIndex { !isBlank($0) }
    return end.map { head[...$0] } ?? []
  }
}
