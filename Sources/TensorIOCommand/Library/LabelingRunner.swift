import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOImage
import TensorIOLibrary
import TensorIOSystem

/// Goes through the pictures of a data set with somebody who knows what they show.
///
/// What is decided is in the database before the next picture is shown.
struct LabelingRunner {
  let dataset: DatasetStore
  let suggester: LabelSuggester
  /// How the terminal shows pictures.
  let imageProtocol: TerminalImageProtocol
  let console: Console

  /// Asks about all items, from the first that nobody has looked at; says how many were decided.
  func run(_ items: StoredItems) throws(OperationError) -> Int {
    let stored = items.labels.filter { !suggester.labels.contains($0) }
    var dialogue = LabelingSession(
      labels: suggester.labels + stored, hasBoxes: suggester.suggestsBoxes)
    var lines = try LineReader(console)
    var (place, decided) = (0, Set<Int64>())
    while place < items.count {
      let item = items.items[place]
      guard show(item, "\(place + 1) of \(items.count)", items.labels, &dialogue) else {
        place += 1
        continue
      }
      switch try outcome(&dialogue, &lines) {
      case .accept:
        try saveReview(of: item, dialogue.annotations)
        decided.insert(item.id)
        place += 1
      case .skip: place += 1
      case .back: place = max(0, place - 1)
      case .quit, .message: return decided.count
      }
    }
    return decided.count
  }

  /// Reads lines until one is more than talk; the end of the input is the wish to end.
  private func outcome(
    _ dialogue: inout LabelingSession, _ lines: inout LineReader
  ) throws(OperationError) -> LabelingSession.Outcome {
    while let line = try lines.next() {
      let outcome = dialogue.handle(line)
      guard case .message(let text) = outcome else { return outcome }
      printMessage(text)
    }
    return .quit
  }

  /// Shows a picture with what is known of it; false where it cannot be read.
  private func show(
    _ item: StoredItem, _ place: String, _ labels: [String], _ dialogue: inout LabelingSession
  ) -> Bool {
    let bytes: [UInt8]
    let size: TensorIOData.ImageSize
    do {
      bytes = try FileBytes.contents(of: item.imagePath, limit: ImageLimits.maxFileBytes)
      let image = try ImageBuffer(decoding: bytes)
      size = TensorIOData.ImageSize(width: image.uprightWidth, height: image.uprightHeight)
    } catch {
      console.printError(.input("unreadable-picture", "\(item.imagePath): \(error)"))
      return false
    }
    console.writeMessage(imageProtocol.escapeSequence(for: bytes))
    printMessage("\(place)  \(item.imagePath)  \(size)")
    let (state, scores) = initialAnnotations(item, labels, bytes)
    dialogue.start(state, size: size)
    if !scores.isEmpty { printMessage("suggested: " + scores.joined(separator: "  ")) }
    printMessage(dialogue.description)
    return true
  }

  /// What somebody has said already, else what the model says.
  private func initialAnnotations(
    _ item: StoredItem, _ labels: [String], _ bytes: [UInt8]
  ) -> (ImageAnnotations, [String]) {
    guard !item.isAnnotated else {
      let boxes = item.boxes.map { ImageAnnotations.LabeledBox(label: labels[$0.labelIndex], box: $0) }
      return (ImageAnnotations(labels: item.labels.map { labels[$0] }, boxes: boxes), [])
    }
    do throws(ModelError) {
      return try suggester.suggestion(for: bytes)
    } catch {
      console.printError(OperationError(error))
      return (ImageAnnotations(), [])
    }
  }

  private func saveReview(of item: StoredItem, _ state: ImageAnnotations) throws(OperationError) {
    let boxes = state.boxes.map { ($0.label, $0.box) }
    try dataset.saveReview(of: item.id, labels: state.labels, boxes: boxes)
  }

  private func printMessage(_ text: String) {
    if !console.isQuiet { console.writeMessage(Array((text.sanitizedForTerminal + "\n").utf8)) }
  }
}
