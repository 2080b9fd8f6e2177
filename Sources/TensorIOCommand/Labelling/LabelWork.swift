internal import TensorIOCore
internal import TensorIOData
internal import TensorIOImage
internal import TensorIOSystem

/// Goes through the pictures of a data set with somebody who knows what they show.
///
/// What is decided is in the database before the next picture is shown.
struct LabelWork {
  let file: DatasetFile
  let suggestions: LabelSuggestions
  /// How the terminal shows pictures.
  let picture: TerminalPicture
  let console: Console

  /// Asks about all items, from the first that nobody has looked at; says how many were decided.
  func run(_ items: StoredItems) throws(CommandFailure) -> Int {
    let stored = items.labels.filter { !suggestions.labels.contains($0) }
    var dialogue = LabelDialogue(
      known: suggestions.labels + stored, hasBoxes: suggestions.hasBoxes)
    var lines = try InputLines(console)
    var (place, decided) = (0, Set<Int64>())
    while place < items.count {
      let item = items.items[place]
      guard show(item, "\(place + 1) of \(items.count)", items.labels, &dialogue) else {
        place += 1
        continue
      }
      switch try outcome(&dialogue, &lines) {
      case .keep:
        try keep(item, dialogue.state)
        decided.insert(item.id)
        place += 1
      case .skip: place += 1
      case .back: place = max(0, place - 1)
      case .quit, .stay: return decided.count
      }
    }
    return decided.count
  }

  /// Reads lines until one is more than talk; the end of the input is the wish to end.
  private func outcome(
    _ dialogue: inout LabelDialogue, _ lines: inout InputLines
  ) throws(CommandFailure) -> LabelDialogue.Outcome {
    while let line = try lines.next() {
      let outcome = dialogue.take(line)
      guard case .stay(let text) = outcome else { return outcome }
      say(text)
    }
    return .quit
  }

  /// Shows a picture with what is known of it; false where it cannot be read.
  private func show(
    _ item: StoredItem, _ place: String, _ labels: [String], _ dialogue: inout LabelDialogue
  ) -> Bool {
    let bytes: [UInt8]
    let size: TensorIOData.PictureSize
    do {
      bytes = try FileBytes.contents(of: item.path, limit: ImageLimits.fileBytes)
      let image = try ImageBuffer(decoding: bytes)
      size = TensorIOData.PictureSize(width: image.uprightWidth, height: image.uprightHeight)
    } catch {
      console.fail(.input("unreadable-picture", "\(item.path): \(error)"))
      return false
    }
    console.message(picture.bytes(of: bytes))
    say("\(place)  \(item.path)  \(size)")
    let (state, scores) = known(item, labels, bytes)
    dialogue.begin(state, size: size)
    if !scores.isEmpty { say("suggested: " + scores.joined(separator: "  ")) }
    say(dialogue.description)
    return true
  }

  /// What somebody has said already, else what the model says.
  private func known(
    _ item: StoredItem, _ labels: [String], _ bytes: [UInt8]
  ) -> (LabelledState, [String]) {
    guard !item.isLabelled else {
      let boxes = item.boxes.map { LabelledState.Labelled(label: labels[$0.label], box: $0) }
      return (LabelledState(labels: item.labels.map { labels[$0] }, boxes: boxes), [])
    }
    do throws(ModelError) {
      return try suggestions.suggestion(for: bytes)
    } catch {
      console.fail(CommandFailure(error))
      return (LabelledState(), [])
    }
  }

  private func keep(_ item: StoredItem, _ state: LabelledState) throws(CommandFailure) {
    let boxes = state.boxes.map { ($0.label, $0.box) }
    try file.review(item.id, labels: state.labels, boxes: boxes)
  }

  private func say(_ text: String) {
    if !console.isQuiet { console.message(Array((text.printable + "\n").utf8)) }
  }
}
