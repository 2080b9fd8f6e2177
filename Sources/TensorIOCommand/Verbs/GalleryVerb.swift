internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore

/// `tensorio gallery`: enrols pictures under names, and says whom other pictures show.
struct GalleryVerb: Verb {
  static let bundle = Flag("bundle", "BUNDLE", "what makes embeddings: a bundle or a chain")
  static let gallery = Flag("gallery", "FILE", "the gallery, a database such as faces.sqlite")
  static let neighbors = Flag("k", "N", "how many of the nearest have a vote (default: 3)")
  static let threshold = Flag(
    "threshold", "T", "the distance from which on it is a stranger, in place of the bundle's")

  static let page = HelpPage(
    name: "gallery", summary: "enrols pictures under names and says whom other pictures show",
    usage: "enroll|recognise|verify|list|remove [WORDS…] --gallery FILE [flags]",
    details: """
      enroll NAME PICTURES…, recognise PICTURES…, verify NAME PICTURE, list, or remove NAME.

      A picture becomes an embedding by a bundle whose task is embedding, or by a chain that finds
      faces and embeds each. Of the k enrolled embeddings that are nearest, those within the
      threshold vote; without a vote it is 'unknown'. A gallery belongs to the bundle that it was
      made with. What is enrolled together is there together or not at all, and several processes
      may enrol at once. verify has exit code 1 when the picture shows somebody else.
      """,
    flags: [Flag.textOrJSON, bundle, gallery, neighbors, threshold, BundleOpening.threads]
      + BundleOpening.runtimes,
    examples: [
      (
        "tensorio gallery enroll ada ada/ --bundle faces.tiochain --gallery faces.sqlite",
        "enrols all pictures of a folder under a name"
      ),
      (
        "tensorio gallery recognise party.jpg --bundle faces.tiochain --gallery faces.sqlite",
        "says who is in a picture"
      ),
      (
        "tensorio gallery verify ada door.jpg --bundle faces.tiochain --gallery faces.sqlite",
        "exit code 0 when it is she"
      ),
      ("tensorio gallery list --gallery faces.sqlite", "names, and how many pictures each has"),
    ])

  private enum Action {
    case enroll(String, [String])
    case recognize([String])
    case verify(String, String)
    case list
    case remove(String)
  }

  private let action: Action
  private let bundle: String?
  private let gallery: String
  private let neighbors: Int
  private let threshold: Double?
  private let isJSON: Bool
  private let opening: BundleOpening

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    action = try Self.action(arguments.words)
    guard let gallery = arguments.value(Self.gallery) else {
      throw .usage("name the gallery: --gallery FILE.sqlite")
    }
    self.gallery = gallery
    bundle = arguments.value(Self.bundle)
    neighbors = try arguments.integer(Self.neighbors, in: 1...(.max)) ?? 3
    threshold = try arguments.number(Self.threshold)
    isJSON = arguments.value(.textOrJSON) == "json"
    opening = try BundleOpening(arguments)
  }

  private static func action(_ words: [String]) throws(CommandFailure) -> Action {
    let rest = Array(words.dropFirst())
    switch (words.first, rest.count) {
    case ("enroll", 2...), ("enrol", 2...):
      guard !rest[0].isEmpty, rest[0] != Recognition.stranger else {
        throw .usage("nobody can be enrolled as '\(rest[0])'")
      }
      return .enroll(rest[0], try pictures(Array(rest.dropFirst())))
    case ("recognise", 1...), ("recognize", 1...): return .recognize(try pictures(rest))
    case ("verify", 2): return .verify(rest[0], rest[1])
    case ("list", 0): return .list
    case ("remove", 1): return .remove(rest[0])
    default: throw .usage("usage: tensorio gallery \(page.usage)")
    }
  }

  /// The pictures that words name, with those of folders and patterns.
  private static func pictures(_ words: [String]) throws(CommandFailure) -> [String] {
    var pictures: [String] = []
    for word in words {
      let paths = PictureSet(word)?.paths ?? [word]
      guard !paths.isEmpty else { throw .input("no-pictures", "\(word): there are no pictures") }
      pictures += paths
    }
    return pictures
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let report = GalleryReport(isJSON: isJSON, console: console)
    switch action {
    case .enroll(let name, let pictures):
      return try work(report, console, makingIt: true).enroll(pictures, as: name)
    case .recognize(let pictures):
      return try work(report, console).recognize(pictures, neighbors: neighbors)
    case .verify(let name, let picture): return try work(report, console).verify(name, picture)
    case .list: try list(report)
    case .remove(let name): try remove(name, report)
    }
    return .ok
  }

  private func work(
    _ report: GalleryReport, _ console: Console, makingIt: Bool = false
  ) throws(CommandFailure) -> GalleryWork {
    guard let bundle else { throw .usage("name what makes embeddings: --bundle BUNDLE") }
    let embedder = try Embedder(bundle, opening, console)
    var options = embedder.options
    options.threshold = threshold ?? options.threshold
    return GalleryWork(
      embedder: embedder, options: options, gallery: try GalleryFile(gallery, makingIt: makingIt),
      report: report, console: console)
  }

  private func list(_ report: GalleryReport) throws(CommandFailure) {
    for (name, count) in try GalleryFile(gallery).names() {
      report.write("\(name)  \(count)") { writer in
        writer.member("name", name)
        writer.member("count", count)
      }
    }
  }

  private func remove(_ name: String, _ report: GalleryReport) throws(CommandFailure) {
    let file = try GalleryFile(gallery)
    let count = try file.remove(name)
    guard count > 0 else { throw .unknownName(name, among: Set(try file.names().map(\.name))) }
    report.write("\(name): \(count) removed") { writer in
      writer.member("name", name)
      writer.member("removed", count)
    }
  }
}
