import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOImage
import TensorIOLibrary
import TensorIOSystem

/// Runs the labeling dialogue over the images of a dataset.
///
/// Each decision is saved before the next image is shown.
struct LabelingRunner {
  let dataset: DatasetStore
  let suggester: LabelSuggester
  /// The protocol for showing images on the terminal.
  let imageProtocol: TerminalImageProtocol
  let console: Console

  /// Runs the dialogue over items and returns the number of saved decisions.
  func run(_ items: StoredItems) throws(OperationError) -> Int {
    let storedLabels = items.labels.filter { !suggester.labels.contains($0) }
    var session = LabelingSession(
      labels: suggester.labels + storedLabels, hasBoxes: suggester.suggestsBoxes)
    var lines = try LineReader(console)
    var (index, decided) = (0, Set<Int64>())
    while index < items.count {
      let item = items.items[index]
      guard show(item, "\(index + 1) of \(items.count)", items.labels, &session) else {
        index += 1
        continue
      }
      switch try outcome(&session, &lines) {
      case .accept:
        try saveReview(of: item, session.annotations)
        decided.insert(item.id)
        index += 1
      case .skip: index += 1
      case .back: index = max(0, index - 1)
      case .quit, .message: return decided.count
      }
    }
    return decided.count
  }

  /// Reads lines and prints messages until a line has another effect; the end of input quits.
  private func outcome(
    _ session: inout LabelingSession, _ lines: inout LineReader
  ) throws(OperationError) -> LabelingSession.Outcome {
    while let line = try lines.next() {
      let outcome = session.handle(line)
      guard case .message(let text) = outcome else { return outcome }
      printMessage(text)
    }
    return .quit
  }

  /// Shows an image with its annotations, and returns false if it cannot be read.
  private func show(
    _ item: StoredItem, _ position: String, _ labels: [String], _ session: inout LabelingSession
  ) -> Bool {
    let bytes: [UInt8]
    let size: TensorIOData.ImageSize
    do {
      bytes = try FileBytes.contents(of: item.imagePath, limit: ImageLimits.maxFileBytes)
      let image = try ImageBuffer(decoding: bytes)
      size = TensorIOData.ImageSize(width: image.uprightWidth, height: image.uprightHeight)
    } catch {
      console.printError(.input("unreadable-image", "\(item.imagePath): \(error)"))
      return false
    }
    console.writeMessage(imageProtocol.escapeSequence(for: bytes))
    printMessage("\(position)  \(item.imagePath)  \(size)")
    let (annotations, scores) = initialAnnotations(item, labels, bytes)
    session.start(annotations, size: size)
    if !scores.isEmpty { printMessage("suggested: " + scores.joined(separator: "  ")) }
    printMessage(session.description)
    return true
  }

  /// Returns the item's own annotations, or else the model's suggestion and its scores.
  private func initialAnnotations(
    _ item: StoredItem, _ labels: [String], _ bytes: [UInt8]
  ) -> (ImageAnnotations, [String]) {
    guard !item.isAnnotated else {
      let boxes = item.boxes.map {
        ImageAnnotations.LabeledBox(label: labels[$0.labelIndex], box: $0)
      }
      return (ImageAnnotations(labels: item.labels.map { labels[$0] }, boxes: boxes), [])
    }
    do throws(ModelError) {
      return try suggester.suggestion(for: bytes)
    } catch {
      console.printError(OperationError(error))
      return (ImageAnnotations(), [])
    }
  }

  private func saveReview(
    of item: StoredItem, _ annotations: ImageAnnotations
  ) throws(OperationError) {
    let boxes = annotations.boxes.map { ($0.label, $0.box) }
    try dataset.saveReview(of: item.id, labels: annotations.labels, boxes: boxes)
  }

  private func printMessage(_ text: String) {
    if !console.isQuiet { console.writeMessage(Array((text.sanitizedForTerminal + "\n").utf8)) }
  }
}
