import TensorIOJSON

/// A reader of the steps of a `tokenizer.json`: normalizers, pre-tokenizers and decoders.
enum TokenizerFileSteps {
  private static let maxSteps = 32
  private static let maxContentBytes = 1_024

  /// Returns the nodes of a step and of the sequences in it.
  private static func nodes(
    _ root: JSONNode, _ key: String, _ members: String
  ) throws(TokenizerError) -> [JSONNode] {
    var pending = [TokenizerJSON.value(root, key)].compactMap(\.self)
    var nodes: [JSONNode] = []
    while let node = pending.popLast() {
      if node["type"]?.string == "Sequence" {
        pending += (node[members]?.elements.map(Array.init) ?? []).reversed()
      } else {
        nodes.append(node)
      }
      guard nodes.count + pending.count <= maxSteps else {
        throw TokenizerError(vocabulary: "\(node.position): '\(key)' has too many steps")
      }
    }
    return nodes
  }

  /// Returns the normalizations of a file.
  static func normalizations(_ root: JSONNode) throws(TokenizerError) -> [TextNormalization] {
    var steps: [TextNormalization] = []
    for node in try nodes(root, "normalizer", "normalizers") {
      switch node["type"]?.string {
      case "BertNormalizer": steps += bert(node)
      case "NFC": steps.append(.form(.init(isCompatible: false, composes: true)))
      case "NFD": steps.append(.form(.init(isCompatible: false, composes: false)))
      case "NFKC": steps.append(.form(.init(isCompatible: true, composes: true)))
      case "NFKD": steps.append(.form(.init(isCompatible: true, composes: false)))
      case "Lowercase": steps.append(.lowercase)
      case "StripAccents": steps.append(.withoutMarks(nonspacingOnly: false))
      case "Strip":
        steps.append(
          .trimmed(
            left: TokenizerJSON.flag(node, "strip_left", default: true),
            right: TokenizerJSON.flag(node, "strip_right", default: true)))
      case "Replace":
        steps.append(.replaced(try pattern(node), by: Array(try content(node, "content").utf8)))
      case "Prepend": steps.append(.prepended(Array(try content(node, "prepend").utf8)))
      case "Precompiled":
        guard let text = TokenizerJSON.value(node, "precompiled_charsmap")?.string else { continue }
        guard let map = Base64Text.bytes(of: text) else {
          throw TokenizerError(
            vocabulary: "\(node.position): its normalization rules are malformed")
        }
        steps.append(.rules(try PrecompiledCharacterMap(map[...])))
      default: throw TokenizerJSON.unsupported("normalizer", node)
      }
    }
    return steps
  }

  private static func bert(_ node: JSONNode) -> [TextNormalization] {
    var steps: [TextNormalization] = []
    let lowercases = TokenizerJSON.flag(node, "lowercase", default: true)
    if TokenizerJSON.flag(node, "clean_text", default: true) { steps.append(.cleaned) }
    if TokenizerJSON.flag(node, "handle_chinese_chars", default: true) {
      steps.append(.separatedChinese)
    }
    if node["strip_accents"]?.bool ?? lowercases {
      steps.append(.form(.init(isCompatible: false, composes: false)))
      steps.append(.withoutMarks(nonspacingOnly: true))
    }
    if lowercases { steps.append(.lowercase) }
    return steps
  }

  private static func content(_ node: JSONNode, _ key: String) throws(TokenizerError) -> String {
    guard let text = node[key]?.string, text.utf8.count <= maxContentBytes else {
      throw TokenizerError(vocabulary: "\(node.position): expected a text in '\(key)'")
    }
    return text
  }

  private static func pattern(_ node: JSONNode) throws(TokenizerError) -> TextPattern {
    if let text = node["pattern"]?["String"]?.string { return .string(Array(text.utf8)) }
    guard let text = node["pattern"]?["Regex"]?.string else {
      throw TokenizerError(vocabulary: "\(node.position): expected a pattern")
    }
    return try .expression(of: text)
  }

  /// Returns the splits of a file.
  static func splittings(_ root: JSONNode) throws(TokenizerError) -> [WordSplitting] {
    var steps: [WordSplitting] = []
    for node in try nodes(root, "pre_tokenizer", "pretokenizers") {
      switch node["type"]?.string {
      case "BertPreTokenizer": steps.append(.bert)
      case "Whitespace": steps.append(.words)
      case "WhitespaceSplit": steps.append(.whitespace)
      case "Punctuation": steps.append(.punctuation(try behavior(node, default: .isolated)))
      case "Split":
        steps.append(
          .pattern(
            try pattern(node), try behavior(node),
            isInverted: TokenizerJSON.flag(node, "invert", default: false)))
      case "CharDelimiterSplit":
        steps.append(
          .pattern(.string(Array(try content(node, "delimiter").utf8)), .removed, isInverted: false)
        )
      case "ByteLevel":
        steps.append(
          .bytes(
            addsSpace: TokenizerJSON.flag(node, "add_prefix_space", default: true),
            splits: TokenizerJSON.flag(node, "use_regex", default: true)))
      case "Digits":
        steps.append(
          .digits(isEach: TokenizerJSON.flag(node, "individual_digits", default: false)))
      case "Metaspace":
        steps.append(
          .spaceMark(
            Array(String(try mark(node)).utf8), prefix(node),
            splits: TokenizerJSON.flag(node, "split", default: true)))
      default: throw TokenizerJSON.unsupported("pre-tokenizer", node)
      }
    }
    return steps
  }

  private static func behavior(
    _ node: JSONNode, default value: SplitBehavior? = nil
  ) throws(TokenizerError) -> SplitBehavior {
    let name = node["behavior"]?.string
    guard let behavior = name.map(SplitBehavior.init) ?? value else {
      throw TokenizerError(
        .unsupported(
          component:
            "the behavior '\(name ?? "none")' of the pre-tokenizer '\(node["type"]?.string ?? "")'")
      )
    }
    return behavior
  }

  private static func mark(_ node: JSONNode) throws(TokenizerError) -> Unicode.Scalar {
    let scalars = Array((node["replacement"]?.string ?? "\u{2581}").unicodeScalars)
    guard scalars.count == 1 else {
      throw TokenizerError(vocabulary: "\(node.position): 'replacement' is not one character")
    }
    return scalars[0]
  }

  private static func prefix(_ node: JSONNode) -> WordSplitting.Prefix {
    switch node["prepend_scheme"]?.string {
    case "first": .first
    case "never": .never
    case "always": .always
    default: TokenizerJSON.flag(node, "add_prefix_space", default: true) ? .always : .never
    }
  }

  /// Returns the steps that turn tokens into text.
  static func decodings(_ root: JSONNode) throws(TokenizerError) -> [TokenDecoding] {
    var steps: [TokenDecoding] = []
    for node in try nodes(root, "decoder", "decoders") {
      switch node["type"]?.string {
      case "WordPiece":
        steps.append(
          .wordPieces(
            prefix: node["prefix"]?.string ?? "##",
            removesSpaces: TokenizerJSON.flag(node, "cleanup", default: true)))
      case "Metaspace":
        var dropsFirst = true
        if case .never = prefix(node) { dropsFirst = false }
        steps.append(.spaceMark(try mark(node), dropsFirst: dropsFirst))
      case "ByteFallback": steps.append(.byteFallback)
      case "ByteLevel": steps.append(.utf8(isSpelled: true))
      case "Fuse": steps.append(.joined)
      case "Strip":
        let scalars = Array((node["content"]?.string ?? " ").unicodeScalars)
        guard scalars.count == 1 else { throw TokenizerJSON.unsupported("decoder", node) }
        steps.append(.stripped(scalars[0], start: count(node, "start"), stop: count(node, "stop")))
      case "Replace":
        guard let text = node["pattern"]?["String"]?.string else {
          throw TokenizerJSON.unsupported("decoder", node)
        }
        steps.append(.replaced(text, by: try content(node, "content")))
      case "BPEDecoder": steps.append(.wordEnds(suffix: node["suffix"]?.string ?? "</w>"))
      default: throw TokenizerJSON.unsupported("decoder", node)
      }
    }
    return steps
  }

  private static func count(_ node: JSONNode, _ key: String) -> Int {
    Int(clamping: min(max(node[key]?.int ?? 0, 0), 1_024))
  }
}
