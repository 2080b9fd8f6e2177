public import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// Texts for language models: as they are, or prompts with expected answers or with choices.
///
/// A `.txt` file is a text, and a folder of them has several. Tables and `.ndjson` files have one per row or line, with the
/// columns or keys `text`; `prompt` and `answer`; or `prompt`, `choices` and the index of the right one as `answer`:
///
/// ```json
/// {"prompt": "The capital of France is", "choices": [" Rome", " Paris"], "answer": 1}
/// ```
public struct PromptDataset: IndexedDataset {
  /// What a model is expected to write after a prompt.
  @nonexhaustive
  public enum Expectation: Sendable, Hashable {
    /// A text, whose probability is measured.
    case text(String)
    /// One of several answers.
    case answers([String])
    /// The most probable one of several continuations, by its index.
    case choices([String], correct: Int)
  }

  /// A prompt and what should follow.
  public struct Item: Sendable, Hashable {
    /// The name: the line, or the file of a text.
    public let name: String
    /// The prompt; empty for a text without one.
    public let prompt: String
    /// What should follow.
    public let expectation: Expectation
  }

  /// The path of the file or folder.
  public let path: String
  /// Always empty, because texts have no labels.
  public var labels: [String] { [] }
  /// Always empty, because a file with an error cannot be opened.
  public var errors: [Diagnostic] { [] }
  /// Always empty.
  public var warnings: [Diagnostic] { [] }

  private var items: [Item] = []

  /// Opens a file or folder with texts.
  ///
  /// - Throws: `ModelError` if a text is not UTF-8, a key is missing, or lines have different kinds of expectations.
  public init(at path: String) throws(ModelError) {
    self.path = path
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      guard let kind = FileKind(at: path) else { throw ModelError(.input, .missingFile(path)) }
      if kind == .directory {
        for name in try DataPath.names(in: path) where name.hasFileExtension(in: ["txt"]) {
          try addText(at: "\(path)/\(name)", named: name, &log)
        }
      } else if path.hasFileExtension(in: ["csv", "tsv"]) {
        try addRows(&log)
      } else if path.hasFileExtension(in: ["ndjson", "jsonl"]) {
        try addLines(&log)
      } else if path.hasFileExtension(in: ["txt"]) {
        try addText(at: path, named: String(path.split(separator: "/").last ?? ""), &log)
      } else {
        throw ModelError(
          .input,
          .wrongType(
            expected: "texts: .txt files, .csv, .tsv or .ndjson", actual: "something else"))
      }
      if items.isEmpty { log.addEmptyDataError() }
      try log.throwIfAny()
    } catch {
      throw error.in(file: path)
    }
  }

  private mutating func addText(
    at path: String, named name: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) {
    let bytes = try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, stage: .input)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      return log.add(.notUTF8, path: name)
    }
    items.append(Item(name: name, prompt: "", expectation: .text(text)))
  }

  private mutating func addLines(_ log: inout DataDiagnosticLog) throws(ModelError) {
    let lines = IndexedLines(
      try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, .any, stage: .input))
    for line in lines.all where !log.isErrorLimitReached {
      do throws(LocatedDiagnostic) {
        add(try line.object(in: lines), line: line.number, &log)
      } catch {
        log.add(error)
      }
    }
  }

  private mutating func addRows(_ log: inout DataDiagnosticLog) throws(ModelError) {
    let text = try TableText(at: path)
    var reader = CSVReader(text.bytes, separator: text.separator)
    let header = reader.next()?.cells.map(\.text.trimmed) ?? []
    while !log.isErrorLimitReached, let row = reader.next() {
      let diagnostic =
        row.cells.count == header.count
        ? row.cells.compactMap(\.diagnostic).first
        : .raggedRow(expected: header.count, found: row.cells.count)
      if let diagnostic {
        log.add(diagnostic, path: "", line: row.position.line)
      } else {
        let cells = Dictionary(zip(header, row.cells), uniquingKeysWith: { first, _ in first })
        add(PromptCells(cells: cells, line: row.position.line), line: row.position.line, &log)
      }
    }
  }

  private mutating func add(
    _ fields: some PromptFields, line: Int, _ log: inout DataDiagnosticLog
  ) {
    do throws(LocatedDiagnostic) {
      let item = try Item(fields, named: "line \(line)")
      if let first = items.first, first.expectation.key != item.expectation.key {
        throw LocatedDiagnostic(
          .mixedExpectations(item.expectation.key, first.expectation.key), at: fields.location)
      }
      items.append(item)
    } catch {
      log.add(error)
    }
  }

  /// Returns whether a path has texts, or a first line with the names of their fields.
  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    if kind == .directory {
      return (try? DataPath.names(in: path).contains { $0.hasFileExtension(in: ["txt"]) }) ?? false
    }
    if path.hasFileExtension(in: ["txt"]) { return true }
    guard path.hasFileExtension(in: ["csv", "tsv", "ndjson", "jsonl"]) else { return false }
    let first = FilePrefix.bytes(of: path).split(separator: UInt8(ascii: "\n")).first ?? []
    let words = String(decoding: first, as: UTF8.self).split { !$0.isLetter }
    return words.contains("prompt") || words.contains("text")
  }
}

// MARK: Items

extension PromptDataset {
  /// The number of texts.
  public var count: Int { items.count }

  /// Returns the line, or the file of a text.
  public func name(at index: Int) -> String { items[index].name }

  /// Returns a prompt and what should follow.
  public func item(at index: Int) -> Item { items[index] }

  /// Returns an empty array, because texts have no labels.
  public func labelIndices(at index: Int) -> [Int] { [] }

  /// Returns `nil`, because texts are not assigned to splits.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// Returns `nil`, because a file with an error cannot be opened.
  public func error(at index: Int) -> Diagnostic? { nil }

  /// Returns the texts at some indices, in that order.
  public func selecting(_ indexes: [Int]) -> PromptDataset {
    var subset = self
    subset.items = indexes.map { items[$0] }
    return subset
  }
}

// MARK: Reading

extension PromptDataset.Expectation {
  /// The field that has it.
  fileprivate var key: String {
    switch self {
    case .text: "text"
    case .answers: "answer"
    case .choices: "choices"
    }
  }
}

extension PromptDataset.Item {
  fileprivate init(_ fields: some PromptFields, named name: String) throws(LocatedDiagnostic) {
    self.name = name
    if fields.has("text") {
      prompt = fields.has("prompt") ? try fields.string("prompt") : ""
      expectation = .text(try fields.text("text"))
      return
    }
    prompt = try fields.text("prompt")
    guard fields.has("choices") else {
      expectation = .answers(try fields.texts(fields.has("answers") ? "answers" : "answer"))
      return
    }
    let choices = try fields.texts("choices")
    let correct = try fields.integer("answer")
    guard choices.count > 1 else {
      throw LocatedDiagnostic(
        .wrongCount(expected: 2, found: choices.count), at: fields.location(of: "choices"))
    }
    guard let index = Int(exactly: correct), choices.indices ~= index else {
      throw LocatedDiagnostic(
        .labelOutOfRange("\(correct)", count: choices.count), at: fields.location(of: "answer"))
    }
    expectation = .choices(choices, correct: index)
  }
}

/// The fields of a line with a prompt.
private protocol PromptFields {
  var location: DataLocation { get }
  func location(of key: String) -> DataLocation
  func has(_ key: String) -> Bool
  func string(_ key: String) throws(LocatedDiagnostic) -> String
  func integer(_ key: String) throws(LocatedDiagnostic) -> Int64
  /// Returns a list, or a single text.
  func strings(_ key: String) throws(LocatedDiagnostic) -> [String]
}

extension PromptFields {
  func text(_ key: String) throws(LocatedDiagnostic) -> String {
    let text = try string(key)
    guard !text.isEmpty else { throw LocatedDiagnostic(.missingValue, at: location(of: key)) }
    return text
  }

  func texts(_ key: String) throws(LocatedDiagnostic) -> [String] {
    let texts = try strings(key)
    guard !texts.isEmpty, !texts.contains("") else {
      throw LocatedDiagnostic(.missingValue, at: location(of: key))
    }
    return texts
  }
}

extension JSONObjectReader: PromptFields {
  fileprivate func strings(_ key: String) throws(LocatedDiagnostic) -> [String] {
    isString(key) ? [try string(key)] : try elements(key).strings(at: location(of: key))
  }
}

extension JSONElements {
  fileprivate func strings(at location: DataLocation) throws(LocatedDiagnostic) -> [String] {
    var strings: [String] = []
    for element in self {
      guard let string = element.string else {
        throw LocatedDiagnostic(.wrongType(element, expected: "a string"), at: location)
      }
      strings.append(string)
    }
    return strings
  }
}

/// The cells of a row by column.
private struct PromptCells: PromptFields {
  let cells: [String: CSVCell]
  let line: Int

  var location: DataLocation { .text("", line: line) }

  func location(of key: String) -> DataLocation {
    .text(key, line: cells[key]?.line ?? line, column: cells[key]?.column)
  }

  func has(_ key: String) -> Bool { cells[key].map { !$0.text.isEmpty } ?? false }

  func string(_ key: String) throws(LocatedDiagnostic) -> String {
    guard let cell = cells[key] else { throw LocatedDiagnostic(.missingKey(key), at: location) }
    return cell.text
  }

  func integer(_ key: String) throws(LocatedDiagnostic) -> Int64 {
    let text = try text(key).trimmed
    guard let integer = Int64(text) else {
      throw LocatedDiagnostic(.notANumber(text), at: location(of: key))
    }
    return integer
  }

  func strings(_ key: String) throws(LocatedDiagnostic) -> [String] {
    let text = try string(key)
    guard text.trimmed.hasPrefix("["), let node = try? JSONNode(parsingData: Array(text.utf8)),
      let elements = node.elements
    else { return [text] }
    return try elements.strings(at: location(of: key))
  }
}
