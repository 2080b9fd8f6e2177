internal import TensorIOCore
internal import TensorIOData

/// What is known of a picture while somebody looks at it.
struct LabelledState: Equatable {
  /// A box, and the label of what is in it.
  struct Labelled: Equatable {
    var label: String
    var box: AnnotatedBox
  }

  var labels: [String] = []
  var boxes: [Labelled] = []
}

/// The dialogue about one picture after the other: what a line means, without any terminal.
///
/// An empty line keeps what is known; a line that begins with a colon is a command; any other names a
/// label, whole or by letters that only one label has.
struct LabelDialogue {
  /// What is to be done after a line.
  enum Outcome: Equatable {
    /// The picture stays, and something is said about it.
    case stay(String)
    /// The picture is what the state says.
    case keep
    case skip
    case back
    case quit
  }

  /// The labels that may be given.
  private(set) var known: [String]
  /// Whether pictures have boxes instead of one label.
  let hasBoxes: Bool
  private(set) var state = LabelledState()
  private var size = TensorIOData.PictureSize(width: 0, height: 0)

  /// How many labels are listed at a time.
  private static let listLength = 20

  static let help = """
    Enter keeps what is shown · LABEL, or a part of it, chooses another · :skip · :back · :quit
    :new LABEL makes a label · :labels [TEXT] lists them · :none says that there is nothing
    boxes: :add LABEL XMIN YMIN XMAX YMAX · :move N XMIN YMIN XMAX YMAX · :label N LABEL ·
    :delete N · :none deletes all; numbers are pixels of the upright picture
    """

  init(known: [String], hasBoxes: Bool) {
    (self.known, self.hasBoxes) = (known, hasBoxes)
  }

  /// Turns to another picture.
  mutating func begin(_ state: LabelledState, size: TensorIOData.PictureSize) {
    (self.state, self.size) = (state, size)
  }

  /// Takes a line.
  mutating func take(_ line: String) -> Outcome {
    let line = String(
      line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    if line.isEmpty { return isKnown ? .keep : .stay("nothing is chosen yet; :none, or a label") }
    guard line.hasPrefix(":") else { return choose(line) }
    let words = line.dropFirst().split(whereSeparator: \.isWhitespace).map(String.init)
    let rest = Array(words.dropFirst())
    switch words.first {
    case "skip": return .skip
    case "back": return .back
    case "quit": return .quit
    case "help": return .stay(Self.help)
    case "labels": return .stay(list(known.matching(rest.joined(separator: " "))))
    case "new": return make(rest.joined(separator: " "))
    case "none": return clear()
    case "add": return add(rest)
    case "move": return move(rest)
    case "label": return rename(rest)
    case "delete": return delete(rest)
    default: return .stay("there is no command '\(line)'; :help lists them")
    }
  }

  /// A classifier's picture needs a label, or the word that there is none.
  private var isKnown: Bool { hasBoxes || !state.labels.isEmpty }

  private func list(_ labels: [String]) -> String {
    guard !labels.isEmpty else { return "there are no such labels; :new LABEL makes one" }
    let more = labels.count > Self.listLength ? ", … (\(labels.count) in all)" : ""
    return labels.prefix(Self.listLength).joined(separator: ", ") + more
  }
}

// MARK: Labels

extension LabelDialogue {
  private mutating func choose(_ text: String) -> Outcome {
    guard !hasBoxes else { return .stay("a picture with boxes has its labels there: :help") }
    switch label(text) {
    case .success(let label):
      state.labels = [label]
      return .keep
    case .failure(let reason): return .stay(reason.text)
    }
  }

  private struct Refusal: Error { let text: String }

  /// The label that a text means: itself, else the only one that begins so, else the only one with it.
  private func label(_ text: String) -> Result<String, Refusal> {
    if known.contains(text) { return .success(text) }
    let folded = text.lowercased()
    let begins = known.filter { $0.lowercased().hasPrefix(folded) }
    if begins.count == 1 { return .success(begins[0]) }
    let matches = known.matching(text)
    return matches.count == 1 ? .success(matches[0]) : .failure(Refusal(text: list(matches)))
  }

  private mutating func make(_ label: String) -> Outcome {
    guard !label.isEmpty, !label.hasPrefix(":") else { return .stay("usage: :new LABEL") }
    if !known.contains(label) { known.append(label) }
    return hasBoxes ? .stay("'\(label)' is a label now") : choose(label)
  }

  private mutating func clear() -> Outcome {
    state = LabelledState()
    return hasBoxes ? .stay(description) : .keep
  }
}

// MARK: Boxes

extension LabelDialogue {
  private mutating func add(_ words: [String]) -> Outcome {
    changeBoxes(words, count: 5...(.max), ":add LABEL XMIN YMIN XMAX YMAX") { dialogue, words in
      let box = try dialogue.box(words.suffix(4))
      let label = try dialogue.label(words.dropLast(4).joined(separator: " ")).get()
      dialogue.state.boxes.append(LabelledState.Labelled(label: label, box: box))
    }
  }

  private mutating func move(_ words: [String]) -> Outcome {
    changeBoxes(words, count: 5...5, ":move N XMIN YMIN XMAX YMAX") { dialogue, words in
      let index = try dialogue.index(words[0])
      dialogue.state.boxes[index].box = try dialogue.box(words.suffix(4))
    }
  }

  private mutating func rename(_ words: [String]) -> Outcome {
    changeBoxes(words, count: 2...(.max), ":label N LABEL") { dialogue, words in
      let index = try dialogue.index(words[0])
      let label = try dialogue.label(words.dropFirst().joined(separator: " ")).get()
      dialogue.state.boxes[index].label = label
    }
  }

  private mutating func delete(_ words: [String]) -> Outcome {
    changeBoxes(words, count: 1...1, ":delete N") { dialogue, words in
      dialogue.state.boxes.remove(at: try dialogue.index(words[0]))
    }
  }

  private mutating func changeBoxes(
    _ words: [String], count: ClosedRange<Int>, _ usage: String,
    _ change: (inout LabelDialogue, [String]) throws -> Void
  ) -> Outcome {
    guard hasBoxes else { return .stay("the model finds no boxes; a label is what it gives") }
    guard count.contains(words.count) else { return .stay("usage: \(usage)") }
    do {
      try change(&self, words)
      return .stay(description)
    } catch {
      return .stay((error as? Refusal)?.text ?? "\(error)")
    }
  }

  private func index(_ word: String) throws -> Int {
    guard let number = Int(word), state.boxes.indices.contains(number - 1) else {
      throw Refusal(text: "there is no box \(word)")
    }
    return number - 1
  }

  private func box(_ words: ArraySlice<String>) throws -> AnnotatedBox {
    let numbers = words.compactMap(Double.init).filter(\.isFinite)
    guard numbers.count == 4 else { throw Refusal(text: "edges are four numbers of pixels") }
    let (xmin, ymin, xmax, ymax) = (numbers[0], numbers[1], numbers[2], numbers[3])
    guard xmin >= 0, ymin >= 0, xmin < xmax, ymin < ymax, xmax <= Double(size.width),
      ymax <= Double(size.height)
    else {
      throw Refusal(text: "a box lies inside of \(size) pixels, and ends behind its beginning")
    }
    return AnnotatedBox(label: 0, xmin: xmin, ymin: ymin, xmax: xmax, ymax: ymax)
  }
}

// MARK: Saying what is known

extension LabelDialogue {
  /// What is known of the picture, in a line or one for each box.
  var description: String {
    guard hasBoxes else {
      return state.labels.isEmpty ? "(no label)" : state.labels.joined(separator: ", ")
    }
    let lines = state.boxes.enumerated().map { index, labelled in
      let box = labelled.box
      let edges = [box.xmin, box.ymin, box.xmax, box.ymax].map { $0.fixed(0) }
      return "\(index + 1)  \(labelled.label)  \(edges.joined(separator: " "))"
    }
    return lines.isEmpty ? "(no boxes)" : lines.joined(separator: "\n")
  }
}

extension [String] {
  /// The texts that have some letters in them, whatever their case.
  fileprivate func matching(_ text: String) -> [String] {
    let folded = text.lowercased()
    return folded.isEmpty ? self : filter { $0.lowercased().contains(folded) }
  }
}
