import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// Reads the characters of a text from scores for each of its columns: connectionist temporal classification.
///
/// A class that follows itself is the same character, unless the blank is between them.
struct CTCDecoder: Sendable {
  /// A text with its words.
  struct Text: Sendable {
    var text: String
    /// The mean probability of the columns that begin a character; 0 without characters.
    var score: Float
    var words: [(text: String, columns: Range<Int>)]
  }

  private let characters: [String]
  private let blank: TextLineTask.Blank
  private let isProbability: Bool
  private let beamWidth: Int

  /// The number of characters of the file.
  var characterCount: Int { characters.count }

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - characters: The characters by class, without the blank.
  ///   - blank: The class for no character.
  ///   - isProbability: Whether scores are probabilities; otherwise they are their logarithms, plus a number.
  ///   - beamWidth: The number of texts that are followed.
  init(
    _ characters: [String], blank: TextLineTask.Blank, isProbability: Bool, beamWidth: Int = 1
  ) {
    (self.characters, self.blank, self.isProbability) = (characters, blank, isProbability)
    self.beamWidth = beamWidth
  }

  /// Returns the characters of a file, which line feeds alone separate: other spaces and line breaks are characters.
  static func characters(in bytes: [UInt8]) throws(ModelError) -> [String] {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ModelError(.bundle, .unreadableFile("characters", detail: "it is not UTF-8"))
    }
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { String(Substring($0)) }
  }

  /// Returns the text with the given scores; `nil` if they have another number of classes than there are characters.
  func text(in scores: [Float], columns: Int, classes: Int) -> Text? {
    let hasSpace = classes == characters.count + 2
    guard hasSpace || classes == characters.count + 1, scores.count >= columns * classes else {
      return nil
    }
    let blankClass = blank == .first ? 0 : classes - 1
    let kernel = BestClassKernel(
      rowsOf: scores, rows: columns, columns: classes, scores: 0..<classes)
    let best = kernel.bestScores()
    let path = (0..<columns).map { kernel.index(of: best[$0], row: $0) ?? blankClass }
    func probability(_ column: Int) -> Float {
      isProbability ? best[column] : kernel.softmax(of: best[column], row: column)
    }
    /// Returns the character of a class that is not the blank.
    func character(_ index: Int) -> String {
      let position = blank == .first ? index - 1 : index
      return position < characters.count ? characters[position] : " "
    }
    var symbols: [(text: String, columns: Range<Int>)] = []
    var sum = 0.0
    var previous = blankClass
    for (column, index) in path.enumerated() {
      if index != blankClass {
        if index == previous {
          symbols[symbols.count - 1].columns =
            symbols[symbols.count - 1].columns.lowerBound..<column + 1
        } else {
          symbols.append((character(index), column..<column + 1))
          sum += Double(probability(column))
        }
      }
      previous = index
    }
    var text = symbols.map(\.text).joined()
    if beamWidth > 1 {
      let search = CTCBeamSearch(
        scores, columns: columns, classes: classes, blank: blankClass,
        isProbability: isProbability, width: beamWidth)
      let found = search.bestPath.map(character)
      // Words keep the columns of the best classes if those are the same characters.
      if found != symbols.map(\.text) {
        text = found.joined()
        symbols = found.enumerated().map { index, text in
          let start = index * columns / max(found.count, 1)
          return (text, start..<max((index + 1) * columns / found.count, start + 1))
        }
      }
    }
    return Text(
      text: text, score: symbols.isEmpty ? 0 : Float(sum / Double(max(symbols.count, 1))),
      words: Self.words(symbols))
  }

  private static func words(
    _ symbols: [(text: String, columns: Range<Int>)]
  ) -> [(text: String, columns: Range<Int>)] {
    var words: [(text: String, columns: Range<Int>)] = []
    var isOpen = false
    for (text, columns) in symbols {
      guard !text.allSatisfy(\.isWhitespace) else {
        isOpen = false
        continue
      }
      if isOpen {
        words[words.count - 1].text += text
        words[words.count - 1].columns =
          words[words.count - 1].columns.lowerBound..<columns.upperBound
      } else {
        words.append((text, columns))
      }
      isOpen = true
    }
    return words
  }
}
