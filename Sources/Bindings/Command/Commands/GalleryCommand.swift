import TensorIO
import TensorIOCore
import TensorIOData
import TensorIOJSON
import TensorIOLibrary
import TensorIOTasks

/// `tensorio gallery`: enrolls images or texts under names and recognizes others.
struct GalleryCommand: Subcommand {
  static let bundle = Flag("bundle", "BUNDLE", "Bundle or chain that computes embeddings")
    .of("enroll", "recognize", "verify")
  static let gallery = Flag("gallery", "FILE", "Gallery database, such as faces.sqlite")
  static let neighbors = Flag(
    "neighbors", "K", "Maximum number of nearest neighbors that vote (default: 3)"
  ).of("recognize", "verify")
  static let maxDistance = Flag(
    "max-distance", "D", "Maximum distance of a match (default: the bundle's threshold)"
  ).of("recognize", "verify")

  static let helpPage = HelpPage(
    name: "gallery", summary: "Enroll images or texts under names, and recognize others",
    usage: """
      enroll [options] <name> <image> ... --bundle <bundle> --gallery <file>
      recognize [options] <image> ... --bundle <bundle> --gallery <file>
      verify [options] <name> <image> --bundle <bundle> --gallery <file>
      list [options] --gallery <file>
      remove [options] <name> --gallery <file>
      """,
    discussion: """
      Embeddings are computed by a bundle whose task is embedding, or by a chain that detects faces
      and computes an embedding of each. An image is recognized by a vote of the nearest enrolled
      embeddings that are within the maximum distance; if there are none, the name is 'unknown'. A
      gallery can only be used with the bundle it was created with. An enrollment is atomic, and
      several processes may enroll concurrently.

      If the bundle takes text, the arguments are texts instead of images; @FILE.txt stands for the
      lines of a file.

      verify exits with 1 if the image does not match the name.
      """,
    flags: [Flag.textOrJSON, bundle, gallery, neighbors, maxDistance]
      + ([ModelOpener.threads] + ModelOpener.runtimeFlags).of("enroll", "recognize", "verify"),
    examples: [
      (
        "tensorio gallery enroll ada ada/ --bundle faces.tiochain --gallery faces.sqlite",
        "Enroll all images of a folder"
      ),
      (
        "tensorio gallery recognize party.jpg --bundle faces.tiochain --gallery faces.sqlite",
        "Name the faces in an image"
      ),
      (
        "tensorio gallery verify ada door.jpg --bundle faces.tiochain --gallery faces.sqlite",
        "Exit with 0 on a match"
      ),
      (
        "tensorio gallery enroll refund @refunds.txt --bundle sentences --gallery topics.sqlite",
        "Enroll the lines of a file"
      ),
      ("tensorio gallery list --gallery faces.sqlite", "List names with their numbers of images"),
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
      throw .usage("missing --gallery FILE")
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
    case ("enroll", 2...):
      guard !rest[0].isEmpty, rest[0] != Recognition.unknownName else {
        throw .usage("invalid name '\(rest[0])'")
      }
      return .enroll(rest[0], Array(rest.dropFirst()))
    case ("recognize", 1...): return .recognize(rest)
    case ("verify", 2): return .verify(rest[0], rest[1])
    case ("list", 0): return .list
    case ("remove", 1): return .remove(rest[0])
    default: throw helpPage.actionError(words)
    }
  }

  /// Returns the images that arguments name, including those of folders and glob patterns.
  private static func imagePaths(_ words: [String]) throws(OperationError) -> [String] {
    var images: [String] = []
    for word in words {
      let paths = ImageFileSet(word)?.paths ?? [word]
      guard !paths.isEmpty else { throw .input("no-images", "\(word): contains no images") }
      images += paths
    }
    return images
  }

  /// Returns the texts that arguments name, including the lines of files.
  private static func texts(
    _ words: [String], _ console: Console
  ) throws(OperationError) -> [String] {
    var texts: [String] = []
    for word in words {
      guard word.hasPrefix(InputValueParser.filePrefix), word.hasSuffix(".txt") else {
        texts.append(word)
        continue
      }
      let path = String(word.dropFirst())
      let bytes = try InputValueParser(console).bytes(ofFile: path)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw .input("unreadable-file", "\(path): the text is not valid UTF-8")
      }
      let lines = text.split(whereSeparator: \.isNewline).map(String.init)
        .filter { !$0.allSatisfy(\.isWhitespace) }
      guard !lines.isEmpty else { throw .input("no-texts", "\(path): contains no text") }
      texts += lines
    }
    return texts
  }

  /// Returns the images or texts that arguments name.
  private static func inputs(
    _ words: [String], for operations: GalleryOperations
  ) throws(OperationError) -> [String] {
    operations.embedder.takesText
      ? try texts(words, operations.console) : try imagePaths(words)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let report = GalleryReport(isJSON: isJSON, console: console)
    switch action {
    case .enroll(let name, let words):
      let operations = try makeOperations(report, console)
      return try operations.enroll(Self.inputs(words, for: operations), as: name)
    case .recognize(let words):
      let operations = try makeOperations(report, console)
      return try operations.recognize(
        Self.inputs(words, for: operations), neighbors: neighbors)
    case .verify(let name, let image):
      return try makeOperations(report, console).verify(name, image)
    case .list: try list(report)
    case .remove(let name): try remove(name, report)
    }
    return .success
  }

  private func makeOperations(
    _ report: GalleryReport, _ console: Console
  ) throws(OperationError) -> GalleryOperations {
    guard let bundle else { throw .usage("missing --bundle BUNDLE") }
    let embedder = try Embedder(bundle, opener, console)
    var options = embedder.options
    options.maxDistance = maxDistance ?? options.maxDistance
    return GalleryOperations(
      embedder: embedder, options: options,
      galleryPath: gallery, report: report, console: console)
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
    let store = try GalleryStore(gallery)
    let count = try store.remove(name)
    guard count > 0 else {
      throw .unknownName(name, among: Set(try store.nameCounts().map(\.name)))
    }
    report.write("\(name): \(count) removed") { writer in
      writer.member("name", name)
      writer.member("removed", count)
    }
  }
}
