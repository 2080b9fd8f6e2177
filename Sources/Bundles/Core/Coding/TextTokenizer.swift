package import TensorIOBundle

#if Everything
  package import TensorIOText

  /// The tokenizer of a text input.
  struct TextTokenizer: Sendable {
    let tokenizer: any Tokenizer
    /// The arrangement of special tokens; `nil` for that of the tokenizer.
    private let template: EncodingTemplate?
    private let paddingID: Int32?
    private let windows: TextWindows?
    /// The maximum number of tokens if the tensor has no length; `nil` for all tokens of a text.
    private let maxLength: Int?

    /// Creates the tokenizer that a bundle declares.
    ///
    /// - Parameters:
    ///   - description: The tokenizer.
    ///   - maxLength: The maximum number of tokens if the tensor has no length.
    ///   - windows: How the second text of a pair is divided; `nil` if texts are truncated.
    ///   - read: Returns the contents of a file in `assets`.
    /// - Throws: A ``ModelError`` if a file cannot be read or used.
    init(
      _ description: TokenizerDescription, maxLength: Int? = nil, windows: TextWindows? = nil,
      _ read: (String) throws(ModelError) -> [UInt8]
    ) throws(ModelError) {
      self.windows = windows
      self.maxLength = windows?.length ?? maxLength
      let file = try read(description.file)
      let merges = try description.mergesFile.map { (name) throws(ModelError) in try read(name) }
      do throws(TokenizerError) {
        tokenizer = try description.tokenizer(file, merges: merges ?? [])
      } catch {
        throw ModelError(
          .bundle, .unreadableFile("assets/\(description.file)", detail: error.description))
      }
      var tokens = tokenizer.specialTokens
      for (role, text) in description.specialTokens {
        let id = text.isEmpty ? nil : tokenizer.id(of: text)
        guard id != nil || text.isEmpty else {
          throw ModelError(
            .bundle,
            .unreadableFile(
              "assets/\(description.file)", detail: "the vocabulary has no token '\(text)'"))
        }
        switch role {
        case .start: tokens.start = id
        case .end: tokens.end = id
        case .padding: tokens.padding = id
        case .unknown, .between: break
        }
      }
      template = description.specialTokens.isEmpty ? nil : .standard(for: tokens)
      paddingID = description.specialTokens[.padding] == nil ? nil : tokens.padding
    }

    /// Returns numbers as token ids; throws for one that is not an integer of 32 bits.
    private static func ids(of numbers: Numbers) throws(ModelError) -> [Int32] {
      var ids: [Int32] = []
      for number in numbers.doubles {
        guard let id = Int32(exactly: number) else {
          throw ModelError(.input, .outOfRange(value: "\(number)", type: .int32))
        }
        ids.append(id)
      }
      return ids
    }

    /// Returns a text, or a pair of texts, as tokens.
    ///
    /// - Parameters:
    ///   - value: The text, or tokens that are returned unchanged.
    ///   - length: The number of tokens; `nil` if the text determines it.
    /// - Returns: The tokens.
    /// - Throws: A ``ModelError`` if the value is not text.
    func tokenizing(_ value: LayerValue, length: Int?) throws(ModelError) -> LayerValue {
      if case .tokens = value { return value }
      if case .numbers(let numbers) = value {
        return .tokens(TokenizedText(ids: try Self.ids(of: numbers)))
      }
      guard let texts = value.texts, (1...2).contains(texts.count) else {
        throw ModelError(
          .input, .wrongType(expected: "a text, or two texts", actual: value.kindDescription))
      }
      var settings = TextEncoder.Settings()
      settings.length = length.map { .fixed($0) } ?? .free(max: maxLength)
      settings.stride = windows?.overlap ?? 0
      settings.template = template
      settings.paddingID = paddingID
      // The second text of a pair contains the answer to the first one, which has to be complete.
      settings.truncation = windows == nil ? .longestFirst : .onlySecond
      do throws(TokenizerError) {
        let encoder = try TextEncoder(tokenizer: tokenizer, settings: settings)
        if texts.count == 2, windows != nil {
          return .tokens(try Self.joined(encoder.windows(texts[0], texts[1]), texts))
        }
        let encoded =
          texts.count == 2 ? try encoder.encode(texts[0], texts[1]) : try encoder.encode(texts[0])
        return .tokens(TokenizedText(encoded, texts))
      } catch {
        guard case .invalidUTF8(let offset) = error.reason else {
          throw ModelError(.input, .invalidValue(.init(error.description)))
        }
        throw ModelError(
          .input,
          .wrongType(expected: "text in UTF-8", actual: "an invalid byte at offset \(offset)"))
      }
    }
  }

  extension TextTokenizer {
    /// Returns ids of the vocabulary as tokens, padded to a length.
    func tokens(ofIDs ids: [Int32], length: Int?) throws(ModelError) -> TokenizedText {
      let size = tokenizer.vocabularySize
      if let id = ids.first(where: { !(0..<size).contains(Int($0)) }) {
        throw ModelError(.input, .invalidValue("the token \(id) is not one of \(size)"))
      }
      let padding = (length ?? ids.count) - ids.count
      guard let length, padding != 0 else { return TokenizedText(ids: ids) }
      guard padding > 0 else {
        throw ModelError(.input, .contextExceeded(tokenCount: ids.count, context: length))
      }
      let id = paddingID ?? tokenizer.specialTokens.padding ?? 0
      return TokenizedText(
        ids: ids + Array(repeating: id, count: padding),
        mask: ids.map { _ in 1 } + Array(repeating: 0, count: padding))
    }
  }

  extension ModelBundle {
    /// Returns the tokenizer of the first text input of a description.
    ///
    /// - Throws: A ``ModelError`` if there is none, or its files cannot be read or used.
    package func tokenizer(
      of description: ModelDescription
    ) throws(ModelError) -> any Tokenizer {
      let layer = description.inputs.first { $0.isText && !$0.sharesText }
      guard let layer, let tokenizer = try tokenizers(of: description)[layer.name] else {
        throw ModelError(
          .bundle, .unmetRequirement("the task requires an input of type text with a tokenizer"),
          file: path)
      }
      return tokenizer.tokenizer
    }
  }

  extension TextTokenizer {
    /// Returns the first window with those that follow it.
    private static func joined(
      _ windows: [EncodedText], _ texts: [[UInt8]]
    ) throws(TokenizerError) -> TokenizedText {
      guard windows.count <= TextWindows.maxCount else {
        throw TokenizerError(
          .unsuitableText(
            message: "it has \(windows.count) windows, and the limit is \(TextWindows.maxCount)"))
      }
      return TokenizedText(
        windows[0], texts, followingWindows: windows.dropFirst().map { TokenizedText($0, texts) })
    }
  }

  extension TokenizerDescription {
    /// Creates the tokenizer from its files.
    package func tokenizer(
      _ file: [UInt8], merges: [UInt8]
    ) throws(TokenizerError) -> any Tokenizer {
      switch kind {
      case .regex:
        return try RegexTokenizer(delimiter: delimiters ?? Self.wordDelimiters, vocabulary: file)
      case .wordPiece:
        var settings = WordPieceTokenizer.Settings()
        if let lowercases { settings.normalization.lowercases = lowercases }
        if let unknown = specialTokens[.unknown] { settings.unknownToken = unknown }
        return try WordPieceTokenizer(vocabulary: file, settings: settings)
      case .sentencePiece: return try SentencePieceTokenizer(model: file)
      case .bytePairEncoding: return try ByteLevelBPETokenizer(vocabulary: file, merges: merges)
      case .huggingFace: return try TokenizerFile.tokenizer(file)
      case .phonemes:
        return try PhonemeTokenizer(vocabulary: file, between: specialTokens[.between])
      }
    }

    /// Matches what is between words.
    private static let wordDelimiters = "[^\\w']+"
  }

  extension TokenizedText {
    fileprivate init(
      _ encoded: EncodedText, _ texts: [[UInt8]], followingWindows: [TokenizedText] = []
    ) {
      let isText = encoded.sources.map { $0 != nil }
      self.init(
        texts: texts.map { String(decoding: $0, as: UTF8.self) }, ids: encoded.ids,
        mask: encoded.mask, segments: encoded.segments,
        ranges: zip(encoded.ranges, isText).map { $1 ? $0 : nil },
        textIndices: encoded.sources.map { $0.map { Int($0.rawValue) } },
        followingWindows: followingWindows, isTruncated: encoded.isTruncated)
    }
  }

  extension LayerValue {
    /// The texts in UTF-8; `nil` for values that are not text.
    fileprivate var texts: [[UInt8]]? {
      switch self {
      case .strings(let strings): return strings.bytes
      case .bytes(let bytes): return [bytes]
      case .list(let values):
        var texts: [[UInt8]] = []
        for value in values {
          guard let parts = value.texts else { return nil }
          texts += parts
        }
        return texts
      case .numbers, .tokens, .image, .audio, .classification: return nil
      }
    }
  }
#else
  /// The tokenizer of a text input, in an application without the trait `Everything` of the package.
  struct TextTokenizer: Sendable {
    init(
      _ description: TokenizerDescription, maxLength: Int? = nil, windows: TextWindows? = nil,
      _ read: (String) throws(ModelError) -> [UInt8]
    ) throws(ModelError) {
      throw ModelError(
        .runtime, .unsupported("text without the trait 'Everything' of the package"))
    }

    func tokenizing(_ value: LayerValue, length: Int?) throws(ModelError) -> LayerValue { value }

    func tokens(ofIDs ids: [Int32], length: Int?) throws(ModelError) -> TokenizedText {
      TokenizedText(ids: ids)
    }
  }
#endif

extension ModelBundle {
  /// The maximum size of the file of a tokenizer, in bytes.
  package static let maxTokenizerBytes = 64 << 20

  /// Returns the tokenizers of the text inputs of a description, by the names of the inputs.
  func tokenizers(of description: ModelDescription) throws(ModelError) -> [String: TextTokenizer] {
    var tokenizers: [String: TextTokenizer] = [:]
    for layer in description.inputs {
      guard case .text(let text) = layer.kind, let tokenizer = text.tokenizer else { continue }
      do throws(ModelError) {
        tokenizers[layer.name] = try TextTokenizer(
          tokenizer, maxLength: text.maxLength, windows: TextWindows(of: description)
        ) { (name) throws(ModelError) in
          try folder.bytes(
            of: BundleFolder.assetsName + "/" + name, limit: Self.maxTokenizerBytes)
        }
      } catch {
        throw error.at(layer: layer.name)
      }
    }
    return tokenizers
  }
}
