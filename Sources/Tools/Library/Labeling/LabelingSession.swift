import TensorIOCore
package import TensorIOData

/// The annotations of an image during labeling.
package struct ImageAnnotations: Equatable {
  /// A box and its label.
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

/// The labeling session, independent of any terminal: interprets input lines and holds the
/// annotations of the current image.
///
/// An empty line accepts the current annotations, a line that begins with a colon is a command, and
/// any other line is a label or an unambiguous part of one.
package struct LabelingSession {
  /// The effect of an input line.
  package enum Outcome: Equatable {
    /// Stay on the image and print a message.
    case message(String)
    /// Save the annotations and go to the next image.
    case accept
    case skip
    case back
    case quit
  }

  /// The available labels.
  private(set) var labels: [String]
  /// Whether images have boxes instead of one label.
  let hasBoxes: Bool
  package private(set) var annotations = ImageAnnotations()
  private var imageSize = TensorIOData.ImageSize(width: 0, height: 0)

  /// The maximum number of labels in a listing.
  private static let maxListedLabels = 20

  static let help = """
    Enter accepts what is shown · LABEL, or a part of it, chooses another · :skip · :back · :quit
    :new LABEL adds a label · :labels [TEXT] lists labels · :none removes all annotations
    boxes: :add LABEL XMIN YMIN XMAX YMAX · :move N XMIN YMIN XMAX YMAX · :label N LABEL ·
    :delete N · coordinates are pixels of the upright image
    """

  package init(labels: [String], hasBoxes: Bool) {
    (self.labels, self.hasBoxes) = (labels, hasBoxes)
  }

  /// Starts an image with its initial annotations and its upright size.
  package mutating func start(_ annotations: ImageAnnotations, size: TensorIOData.ImageSize) {
    (self.annotations, imageSize) = (annotations, size)
  }

  /// Interprets an input line.
  package mutating func handle(_ line: String) -> Outcome {
    let line = String(
      line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    if line.isEmpty {
      return isAnnotated ? .accept : .message("no label chosen; enter a label or :none")
    }
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
    default: return .message("unknown command '\(line)'; see :help")
    }
  }

  /// Whether an empty line may accept the image: a classifier's image needs a label first.
  private var isAnnotated: Bool { hasBoxes || !annotations.labels.isEmpty }

  private func list(_ labels: [String]) -> String {
    guard !labels.isEmpty else { return "no matching label; add one with :new LABEL" }
    let more = labels.count > Self.maxListedLabels ? ", … (\(labels.count) in total)" : ""
    return labels.prefix(Self.maxListedLabels).joined(separator: ", ") + more
  }
}

// MARK: Labels

extension LabelingSession {
  private mutating func choose(_ text: String) -> Outcome {
    guard !hasBoxes else {
      return .message("this image has labeled boxes instead of a label; see :help")
    }
    switch resolveLabel(text) {
    case .success(let label):
      annotations.labels = [label]
      return .accept
    case .failure(let reason): return .message(reason.message)
    }
  }

  /// Resolves a label: an exact match, else a unique prefix, else a unique substring.
  private func resolveLabel(_ text: String) -> Result<String, OperationError> {
    if labels.contains(text) { return .success(text) }
    let folded = text.lowercased()
    let begins = labels.filter { $0.lowercased().hasPrefix(folded) }
    if begins.count == 1 { return .success(begins[0]) }
    let matches = labels.matching(text)
    return matches.count == 1
      ? .success(matches[0]) : .failure(.usage(list(matches)))
  }

  private mutating func createLabel(_ label: String) -> Outcome {
    guard !label.isEmpty, !label.hasPrefix(":") else { return .message("usage: :new LABEL") }
    if !labels.contains(label) { labels.append(label) }
    return hasBoxes ? .message("added the label '\(label)'") : choose(label)
  }

  private mutating func clear() -> Outcome {
    annotations = ImageAnnotations()
    return hasBoxes ? .message(description) : .accept
  }
}

// MARK: Boxes

extension LabelingSession {
  private mutating func addBox(_ words: [String]) -> Outcome {
    changeBoxes(words, count: 5...(.max), ":add LABEL XMIN YMIN XMAX YMAX") { session, words in
      let box = try session.box(words.suffix(4))
      let label = try session.resolveLabel(words.dropLast(4).joined(separator: " ")).get()
      session.annotations.boxes.append(ImageAnnotations.LabeledBox(label: label, box: box))
    }
  }

  private mutating func moveBox(_ words: [String]) -> Outcome {
    changeBoxes(words, count: 5...5, ":move N XMIN YMIN XMAX YMAX") { session, words in
      let index = try session.index(words[0])
      session.annotations.boxes[index].box = try session.box(words.suffix(4))
    }
  }

  private mutating func relabelBox(_ words: [String]) -> Outcome {
    changeBoxes(words, count: 2...(.max), ":label N LABEL") { session, words in
      let index = try session.index(words[0])
      let label = try session.resolveLabel(words.dropFirst().joined(separator: " ")).get()
      session.annotations.boxes[index].label = label
    }
  }

  private mutating func deleteBox(_ words: [String]) -> Outcome {
    changeBoxes(words, count: 1...1, ":delete N") { session, words in
      session.annotations.boxes.remove(at: try session.index(words[0]))
    }
  }

  private mutating func changeBoxes(
    _ words: [String], count: ClosedRange<Int>, _ usage: String,
    _ change: (inout LabelingSession, [String]) throws -> Void
  ) -> Outcome {
    guard hasBoxes else {
      return .message("the model is a classifier; enter a label instead of boxes")
    }
    guard count.contains(words.count) else { return .message("usage: \(usage)") }
    do {
      try change(&self, words)
      return .message(description)
    } catch {
      return .message(OperationError(error).message)
    }
  }

  private func index(_ word: String) throws -> Int {
    guard let number = Int(word), annotations.boxes.indices.contains(number - 1) else {
      throw OperationError.usage("no box \(word)")
    }
    return number - 1
  }

  private func box(_ words: ArraySlice<String>) throws -> AnnotatedBox {
    let numbers = words.compactMap(Double.init).filter(\.isFinite)
    guard numbers.count == 4 else {
      throw OperationError.usage("a box needs four numbers: XMIN YMIN XMAX YMAX")
    }
    let (xmin, ymin, xmax, ymax) = (numbers[0], numbers[1], numbers[2], numbers[3])
    guard xmin >= 0, ymin >= 0, xmin < xmax, ymin < ymax, xmax <= Double(imageSize.width),
      ymax <= Double(imageSize.height)
    else {
      throw OperationError.usage(
        "the box must lie within the \(imageSize) image, with XMIN < XMAX and YMIN < YMAX")
    }
    return AnnotatedBox(labelIndex: 0, xmin: xmin, ymin: ymin, xmax: xmax, ymax: ymax)
  }
}

// MARK: Description

extension LabelingSession {
  /// The current annotations, as one line or as one line per box.
  package var description: String {
    guard hasBoxes else {
      return annotations.labels.isEmpty ? "(no label)" : annotations.labels.joined(separator: ", ")
    }
    let lines = annotations.boxes.enumerated().map { index, labeledBox in
      let box = labeledBox.box
      let edges = [box.xmin, box.ymin, box.xmax, box.ymax].map { $0.formatted(decimals: 0) }
      return "\(index + 1)  \(labeledBox.label)  \(edges.joined(separator: " "))"
    }
    return lines.isEmpty ? "(no boxes)" : lines.joined(separator: "\n")
  }
}

extension [String] {
  /// Returns the strings that contain `text`, ignoring case.
  fileprivate func matching(_ text: String) -> [String] {
    let folded = text.lowercased()
    return folded.isEmpty ? self : filter { $0.lowercased().contains(folded) }
  }
}
