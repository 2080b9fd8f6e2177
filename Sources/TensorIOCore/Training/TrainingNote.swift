#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a trained bundle says of where it comes from.
struct TrainingNote {
  /// The file in which a bundle speaks of its model to people.
  static let fileName = "CARD.md"
  /// No card is nearly as long.
  private static let limit = 1 << 20

  private let bundle: ModelBundle
  private let steps: Int

  init(_ bundle: ModelBundle, steps: Int) {
    self.bundle = bundle
    self.steps = steps
  }

  /// The bundle's card, if it has one that can be read, after the note.
  var card: [UInt8] {
    guard let card = try? bundle.folder.bytes(of: Self.fileName, limit: Self.limit) else {
      return Array((note + "\n").utf8)
    }
    let what = "What follows was written of that bundle: figures in it are not of this one.\n\n"
    return Array("\(note) \(what)".utf8) + card
  }

  private var note: String {
    let day = Date.now.formatted(.iso8601.year().month().day())
    let count = steps == 1 ? "1 step" : "\(steps) steps"
    return "Trained further from the bundle \(bundle.id) (version \(bundle.version)): "
      + "\(count), until \(day)."
  }
}
