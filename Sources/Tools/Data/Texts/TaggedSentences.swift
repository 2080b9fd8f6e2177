public import TensorIOBundle
import TensorIOSystem

/// Sentences whose words have tags, in the format of CoNLL.
///
/// A line has a word, possibly further columns, and the tag; an empty line ends a sentence:
///
/// ```
/// Ada     B-PER
/// lives   O
/// in      O
/// London  B-LOC
/// ```
///
/// Tags are those of IOB2, or of IOB1, in which `B-` only separates adjacent sections of a label.
public struct TaggedSentences: IndexedDataset {
  /// A section of a sentence with a label.
  public struct Entity: Sendable, Hashable {
    /// The label, without `B-` or `I-`.
    public let label: String
    /// The location in the text of the sentence, as UTF-8 offsets.
    public let range: Range<Int>

    /// Creates a section.
    package init(label: String, range: Range<Int>) { (self.label, self.range) = (label, range) }
  }

  /// The words and tags of a sentence.
  private struct Sentence: Sendable {
    let line: Int
    var words: [String] = []
    var tags: [String] = []
  }

  /// The file extensions of the format.
  static let fileExtensions: Set = ["conll", "iob", "iob2", "bio"]

  /// The path of the file.
  public let path: String
  /// The labels of the sections, in byte order.
  public let labels: [String]
  /// Always empty, because a file with an error cannot be opened.
  public var errors: [Diagnostic] { [] }
  /// Always empty.
  public var warnings: [Diagnostic] { [] }

  private var sentences: [Sentence] = []

  /// Opens a file with sentences.
  ///
  /// - Throws: `ModelError` if a line has a single column or the file is not UTF-8.
  public init(at path: String) throws(ModelError) {
    self.path = path
    var log = DataDiagnosticLog()
    var sentences: [Sentence] = []
    do throws(ModelError) {
      let bytes = try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, stage: .input)
      if let text = String(validating: bytes, as: UTF8.self) {
        sentences = Self.sentences(text, &log)
      } else {
        log.add(.notUTF8, path: "")
      }
      if sentences.isEmpty { log.addEmptyDataError() }
      try log.throwIfAny()
    } catch {
      throw error.in(file: path)
    }
    self.sentences = sentences
    let found = Set(sentences.lazy.flatMap { Self.entities($0).map(\.label) })
    labels = found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private static func sentences(_ text: String, _ log: inout DataDiagnosticLog) -> [Sentence] {
    var sentences: [Sentence] = []
    var current: Sentence?
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (number, line) in lines.enumerated() {
      let columns = line.split { $0 == " " || $0 == "\t" }
      guard let word = columns.first, let tag = columns.last, word != "-DOCSTART-" else {
        if let current { sentences.append(current) }
        current = nil
        continue
      }
      guard columns.count > 1 else {
        log.add(.missingTag(String(word)), path: "", line: number + 1)
        continue
      }
      var sentence = current ?? Sentence(line: number + 1)
      sentence.words.append(String(word))
      sentence.tags.append(String(tag))
      current = sentence
    }
    if let current { sentences.append(current) }
    return sentences
  }

  /// Returns the sections of a sentence, whose words are separated by spaces.
  private static func entities(_ sentence: Sentence) -> [Entity] {
    var entities: [Entity] = []
    var open: (label: String, start: Int, end: Int)?
    var offset = 0
    for (word, tag) in zip(sentence.words, sentence.tags) {
      let end = offset + word.utf8.count
      let (prefix, label) = (tag.prefix(2), String(tag.dropFirst(2)))
      let isInside = prefix == "B-" || prefix == "I-"
      if let section = open, !isInside || prefix == "B-" || label != section.label {
        entities.append(Entity(label: section.label, range: section.start..<section.end))
        open = nil
      }
      if isInside { open = (label, open?.start ?? offset, end) }
      offset = end + 1
    }
    if let section = open {
      entities.append(Entity(label: section.label, range: section.start..<section.end))
    }
    return entities
  }
}

// MARK: Items

extension TaggedSentences {
  /// The number of sentences.
  public var count: Int { sentences.count }

  /// Returns the line of the first word of a sentence.
  public func name(at index: Int) -> String { "line \(sentences[index].line)" }

  /// Returns the text of a sentence: its words, separated by spaces.
  public func text(at index: Int) -> String { sentences[index].words.joined(separator: " ") }

  /// Returns the sections of a sentence, in their order.
  public func entities(at index: Int) -> [Entity] { Self.entities(sentences[index]) }

  /// Returns the indices of the labels of a sentence's sections.
  public func labelIndices(at index: Int) -> [Int] {
    Set(entities(at: index).compactMap { labels.firstIndex(of: $0.label) }).sorted()
  }

  /// Returns `nil`, because sentences are not assigned to splits.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// Returns `nil`, because a file with an error cannot be opened.
  public func error(at index: Int) -> Diagnostic? { nil }

  /// Returns the sentences at some indices, in that order.
  public func selecting(_ indexes: [Int]) -> TaggedSentences {
    var subset = self
    subset.sentences = indexes.map { sentences[$0] }
    return subset
  }
}
