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
    if let item = named(words) { return ItemList(items: [item], isSet: false) }
    if words.count == 1, isDocument(words[0]) {
      return ItemList(items: [document(words[0])], isSet: false)
    }
    guard let layer = layers.first, layers.count == 1 else {
      return ItemList(items: [positional(words)], isSet: false)
    }
    var items: [Item] = []
    var isSet = false
    for word in words {
      if let pictures = try pictures(word, for: layer) {
        items += pictures
        isSet = true
      } else {
        items.append(isDocument(word) ? document(word) : single(word, for: layer))
      }
    }
    return ItemList(items: items, isSet: isSet)
  }

  /// The items of a file with one JSON value a line.
  func batch(_ path: String) throws(CommandFailure) -> [Item] {
    let text = String(decoding: try values.bytes(ofFile: path), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    return lines.filter { !$0.allSatisfy(\.isWhitespace) }.map(document)
  }
}

extension ItemReader {
  /// A JSON object names all inputs; a list of a model with several inputs holds all of them.
  private func isDocument(_ word: String) -> Bool {
    word.hasPrefix("{") || (layers.count > 1 && word.hasPrefix("["))
  }

  private func document(_ text: String) -> Item {
    Item(text) { () throws(ModelError) in
      let document = try values.json(Array(text.utf8))
      return try JSONInputReader(layers) { (text, layer) throws(ModelError) in
        try values.value(text, for: layer)
      }.input(document.root)
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

  /// `name=value` for declared names; `nil` when any word is something else.
  private func named(_ words: [String]) -> Item? {
    let pairs = words.compactMap { word -> (layer: Layer, text: String)? in
      guard let equals = word.firstIndex(of: "=") else { return nil }
      guard let layer = layers.first(where: { $0.name == word[..<equals] }) else { return nil }
      return (layer, String(word[word.index(after: equals)...]))
    }
    guard !words.isEmpty, pairs.count == words.count else { return nil }
    let picture = pairs.lazy.compactMap { values.picturePath($0.text, for: $0.layer) }.first
    return Item(words.joined(separator: " "), picture: picture) { () throws(ModelError) in
      var named: [String: LayerValue] = [:]
      for (layer, text) in pairs {
        named[layer.name] = try values.value(text, for: layer)
      }
      return .named(named)
    }
  }

  /// The pictures of a folder or a pattern; `nil` when the word is neither.
  private func pictures(_ word: String, for layer: Layer) throws(CommandFailure) -> [Item]? {
    guard case .image = layer.kind else { return nil }
    guard let paths = PictureSet(word)?.paths else { return nil }
    guard !paths.isEmpty else { throw .input("no-pictures", "\(word): there are no pictures") }
    return paths.map { single($0, for: layer) }
  }
}
