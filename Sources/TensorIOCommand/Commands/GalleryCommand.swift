import TensorIO
import TensorIOCore
import TensorIOData
import TensorIOJSON
import TensorIOTasks

/// `tensorio gallery`: enrols pictures under names, and says whom other pictures show.
struct GalleryCommand: Subcommand {
  static let bundle = Flag("bundle", "BUNDLE", "what makes embeddings: a bundle or a chain")
  static let gallery = Flag("gallery", "FILE", "the gallery, a database such as faces.sqlite")
  static let neighbors = Flag("k", "N", "how many of the nearest have a vote (default: 3)")
  static let maxDistance = Flag(
    "threshold", "T", "the distance from which on it is a stranger, in place of the bundle's")

  static let helpPage = HelpPage(
    name: "gallery", summary: "enrols pictures under names and says whom other pictures show",
    usage: "enroll|recognise|verify|list|remove [WORDS…] --gallery FILE [flags]",
    discussion: """
      enroll NAME PICTURES…, recognise PICTURES…, verify NAME PICTURE, list, or remove NAME.

      A picture becomes an embedding by a bundle whose task is embedding, or by a chain that finds
      faces and embeds each. Of the k enrolled embeddings that are nearest, those within the
      threshold vote; without a vote it is 'unknown'. A gallery belongs to the bundle that it was
      made with. What is enrolled together is there together or not at all, and several processes
      may enrol at once. verify has exit code 1 when the picture shows somebody else.
      """,
    flags: [Flag.textOrJSON, bundle, gallery, neighbors, maxDistance, ModelOpener.threads]
      + ModelOpener.runtimeFlags,
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
  private let maxDistance: Double?
  private let isJSON: Bool
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    action = try Self.action(arguments.positionals)
    guard let gallery = arguments.value(Self.gallery) else {
      throw .usage("name the gallery: --gallery FILE.sqlite")
    }
    self.gallery = gallery
    bundle = arguments.value(Self.bundle)
    neighbors = try arguments.integer(Self.neighbors, in: 1...(.max)) ?? 3
    maxDistance = try arguments.number(Self.maxDistance)
    isJSON = arguments.value(.textOrJSON) == "json"
    opener = try ModelOpener(arguments)
  }

  private static func action(_ words: [String]) throws(OperationError) -> Action {
    let rest = Array(words.dropFirst())
    switch (words.first, rest.count) {
    case ("enroll", 2...), ("enrol", 2...):
      guard !rest[0].isEmpty, rest[0] != Recognition.unknownName else {
        throw .usage("nobody can be enrolled as '\(rest[0])'")
      }
      return .enroll(rest[0], try imagePaths(Array(rest.dropFirst())))
    case ("recognise", 1...), ("recognize", 1...): return .recognize(try imagePaths(rest))
    case ("verify", 2): return .verify(rest[0], rest[1])
    case ("list", 0): return .list
    case ("remove", 1): return .remove(rest[0])
    default: throw .usage("usage: tensorio gallery \(helpPage.usage)")
    }
  }

  /// The pictures that words name, with those of folders and patterns.
  private static func imagePaths(_ words: [String]) throws(OperationError) -> [String] {
    var pictures: [String] = []
    for word in words {
      let paths = ImageFileSet(word)?.paths ?? [word]
      guard !paths.isEmpty else { throw .input("no-pictures", "\(word): there are no pictures") }
      pictures += paths
    }
    return pictures
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let report = GalleryReport(isJSON: isJSON, console: console)
    switch action {
    case .enroll(let name, let pictures):
      return try makeOperation(report, console, creating: true).enroll(pictures, as: name)
    case .recognize(let pictures):
      return try makeOperation(report, console).recognize(pictures, neighbors: neighbors)
    case .verify(let name, let picture): return try makeOperation(report, console).verify(name, picture)
    case .list: try list(report)
    case .remove(let name): try remove(name, report)
    }
    return .success
  }

  private func makeOperation(
    _ report: GalleryReport, _ console: Console, creating: Bool = false
  ) throws(OperationError) -> GalleryOperations {
    guard let bundle else { throw .usage("name what makes embeddings: --bundle BUNDLE") }
    let embedder = try Embedder(bundle, opener, console)
    var options = embedder.options
    options.threshold = maxDistance ?? options.threshold
    return GalleryOperations(
      embedder: embedder, options: options, gallery: try GalleryStore(gallery, createIfMissing: creating),
      report: report, console: console)
  }

  private func list(_ report: GalleryReport) throws(OperationError) {
    for (name, count) in try GalleryStore(gallery).nameCounts() {
      report.write("\(name)  \(count)") { writer in
        writer.member("name", name)
        writer.member("count", count)
      }
    }
  }

  private func remove(_ name: String, _ report: GalleryReport) throws(OperationError) {
    let file = try GalleryStore(gallery)
    let count = try file.remove(name)
    guard count > 0 else { throw .unknownName(name, among: Set(try file.nameCounts().map(\.name))) }
    report.write("\(name): \(count) removed") { writer in
      writer.member("name", name)
      writer.member("removed", count)
    }
  }
}
