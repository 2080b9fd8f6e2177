import TensorIOCore
package import TensorIOData

/// What is known of a picture while somebody looks at it.
package struct ImageAnnotations: Equatable {
  /// A box, and the label of what is in it.
  package struct LabeledBox: Equatable {
    package var label: String
    package var box: AnnotatedBox

    package init(
      label: String, box: AnnotatedBox
    ) {
      self.label = label
      self.box = box
    }
  }

  package var labels: [String] = []
  package var boxes: [LabeledBox] = []

  package init(
    labels: [String] = [], boxes: [LabeledBox] = []
  ) {
    self.labels = labels
    self.boxes = boxes
  }
}

/// The dialogue about one picture after the other: what a line means, without any terminal.
///
/// An empty line keeps what is known; a line that begins with a colon is a command; any other names a
/// label, whole or by letters that only one label has.
package struct LabelingSession {
  /// What is to be done after a line.
  package enum Outcome: Equatable {
    /// The picture stays, and something is said about it.
    case message(String)
    /// The picture is what the state says.
    case accept
    case skip
    case back
    case quit
  }

  /// The labels that may be given.
  private(set) var labels: [String]
  /// Whether pictures have boxes instead of one label.
  let hasBoxes: Bool
  package private(set) var annotations = ImageAnnotations()
  private var imageSize = TensorIOData.ImageSize(width: 0, height: 0)

  /// How many labels are listed at a time.
  private static let maxListedLabels = 20

  static let help = """
    Enter keeps what is shown · LABEL, or a part of it, chooses another · :skip · :back · :quit
    :new LABEL makes a label · :labels [TEXT] lists them · :none says that there is nothing
    boxes: :add LABEL XMIN YMIN XMAX YMAX · :move N XMIN YMIN XMAX YMAX · :label N LABEL ·
    :delete N · :none deletes all; numbers are pixels of the upright picture
    """

  package init(labels: [String], hasBoxes: Bool) {
    (self.labels, self.hasBoxes) = (labels, hasBoxes)
  }

  /// Turns to another picture.
  package mutating func start(_ state: ImageAnnotations, size: TensorIOData.ImageSize) {
    (self.annotations, self.imageSize) = (state, size)
  }

  /// Takes a line.
  package mutating func handle(_ line: String) -> Outcome {
    let line = String(
      line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    if line.isEmpty { return isAnnotated ? .accept : .message("nothing is chosen yet; :none, or a label") }
    guard line.hasPrefix(":") else { return choose(line) }
    let words = line.dropFirst().split(whereSeparator: \.isWhitespace).map(String.init)
    let rest = Array(words.dropFirst())
    switch words.first {
    case "skip": return .skip
    case "back": return .back
    case "quit": return .quit
    case "help": return .message(Self.help)
    case "labels": return .message(list(labels.matching(rest.joined(separator: " "))))
    case "new": return createLabel(rest.joined(separator: " "))
    case "none": return clear()
    case "add": return addBox(rest)
    case "move": return moveBox(rest)
    case "label": return relabelBox(rest)
    case "delete": return deleteBox(rest)
    default: return .message("there is no command '\(line)'; :help lists them")
    }
  }

  /// A classifier's picture needs a label, or the word that there is none.
  private var isAnnotated: Bool { hasBoxes || !annotations.labels.isEmpty }

  private func list(_ labels: [String]) -> String {
    guard !labels.isEmpty else { return "there are no such labels; :new LABEL makes one" }
    let more = labels.count > Self.maxListedLabels ? ", … (\(labels.count) in all)" : ""
    return labels.prefix(Self.maxListedLabels).joined(separator: ", ") + more
  }
}

// MARK: Labels

extension LabelingSession {
  private mutating func choose(_ text: String) -> Outcome {
    guard !hasBoxes else { return .message("a picture with boxes has its labels there: :help") }
    switch resolveLabel(text) {
    case .success(let label):
      annotations.labels = [label]
      return .accept
    case .failure(let reason): return .message(reason.message)
    }
  }

  private struct InvalidInput: Error { let message: String }

  /// The label that a text means: itself, else the only one that begins so, else the only one with it.
  private func resolveLabel(_ text: String) -> Result<String, InvalidInput> {
    if labels.contains(text) { return .success(text) }
    let folded = text.lowercased()
    let begins = labels.filter { $0.lowercased().hasPrefix(folded) }
    if begins.count == 1 { return .success(begins[0]) }
    let matches = labels.matching(text)
    return matches.count == 1 ? .success(matches[0]) : .failure(InvalidInput(message: list(matches)))
  }

  private mutating func createLabel(_ label: String) -> Outcome {
    guard !label.isEmpty, !label.hasPrefix(":") else { return .message("usage: :new LABEL") }
    if !labels.contains(label) { labels.append(label) }
    return hasBoxes ? .message("'\(label)' is a label now") : choose(label)
  }

  private mutating func clear() -> Outcome {
    annotations = ImageAnnotations()
    return hasBoxes ? .message(description) : .accept
  }
}

// MARK: Boxes

extension LabelingSession {
  private mutating func addBox(_ words: [String]) -> Outcome {
    changeBoxes(words, count: 5...(.max), ":add LABEL XMIN YMIN XMAX YMAX") { dialogue, words in
      let box = try dialogue.box(words.suffix(4))
      let label = try dialogue.resolveLabel(words.dropLast(4).joined(separator: " ")).get()
      dialogue.annotations.boxes.append(ImageAnnotations.LabeledBox(label: label, box: box))
    }
  }

  private mutating func moveBox(_ words: [String]) -> Outcome {
    changeBoxes(words, count: 5...5, ":move N XMIN YMIN XMAX YMAX") { dialogue, words in
      let index = try dialogue.index(words[0])
      dialogue.annotations.boxes[index].box = try dialogue.box(words.suffix(4))
    }
  }

  private mutating func relabelBox(_ words: [String]) -> Outcome {
    changeBoxes(words, count: 2...(.max), ":label N LABEL") { dialogue, words in
      let index = try dialogue.index(words[0])
      let label = try dialogue.resolveLabel(words.dropFirst().joined(separator: " ")).get()
      dialogue.annotations.boxes[index].label = label
    }
  }

  private mutating func deleteBox(_ words: [String]) -> Outcome {
    changeBoxes(words, count: 1...1, ":delete N") { dialogue, words in
      dialogue.annotations.boxes.remove(at: try dialogue.index(words[0]))
    }
  }

  private mutating func changeBoxes(
    _ words: [String], count: ClosedRange<Int>, _ usage: String,
    _ change: (inout LabelingSession, [String]) throws -> Void
  ) -> Outcome {
    guard hasBoxes else { return .message("the model finds no boxes; a label is what it gives") }
    guard count.contains(words.count) else { return .message("usage: \(usage)") }
    do {
      try change(&self, words)
      return .message(description)
    } catch {
      return .message((error as? InvalidInput)?.message ?? "\(error)")
    }
  }

  private func index(_ word: String) throws -> Int {
    guard let number = Int(word), annotations.boxes.indices.contains(number - 1) else {
      throw InvalidInput(message: "there is no box \(word)")
    }
    return number - 1
  }

  private func box(_ words: ArraySlice<String>) throws -> AnnotatedBox {
    let numbers = words.compactMap(Double.init).filter(\.isFinite)
    guard numbers.count == 4 else { throw InvalidInput(message: "edges are four numbers of pixels") }
    let (xmin, ymin, xmax, ymax) = (numbers[0], numbers[1], numbers[2], numbers[3])
    guard xmin >= 0, ymin >= 0, xmin < xmax, ymin < ymax, xmax <= Double(imageSize.width),
      ymax <= Double(imageSize.height)
    else {
      throw InvalidInput(message: "a box lies inside of \(imageSize) pixels, and ends behind its beginning")
    }
    return AnnotatedBox(labelIndex: 0, xmin: xmin, ymin: ymin, xmax: xmax, ymax: ymax)
  }
}

// MARK: Saying what is known

extension LabelingSession {
  /// What is known of the picture, in a line or one for each box.
  package var description: String {
    guard hasBoxes else {
      return annotations.labels.isEmpty ? "(no label)" : annotations.labels.joined(separator: ", ")
    }
    let lines = annotations.boxes.enumerated().map { index, labelled in
      let box = labelled.box
      let edges = [box.xmin, box.ymin, box.xmax, box.ymax].map { $0.formatted(decimals: 0) }
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
