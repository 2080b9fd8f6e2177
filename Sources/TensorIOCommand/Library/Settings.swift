internal import TensorIOCore
internal import TensorIOSystem

/// What the user has chosen once for all runs.
struct Settings: Sendable, Equatable {
  /// The name of the model that is run when the command line names none.
  var model: String?
  /// How many threads that model may use.
  var threads: Int?
  /// How many labels are shown of it.
  var top: Int?
  /// The names of the models that are not removed by mistake.
  var protected: Set<String> = []

  private static let fileName = "settings.json"
  private static let limit = 1 << 20

  /// What is chosen now; nothing where there is no file.
  init(_ console: Console) throws(CommandFailure) {
    guard let path = UserFolder.path(of: Self.fileName, console), FileKind(at: path) != nil else {
      self.init()
      return
    }
    let bytes: [UInt8]
    do throws(FileFault) {
      bytes = try FileBytes.contents(of: path, limit: Self.limit)
    } catch {
      throw Self.invalid(path, error.problem)
    }
    try self.init(parsing: bytes, path: path)
  }

  /// Changes what is chosen; nobody else changes it in between.
  static func change(
    _ console: Console, _ body: (inout Settings) throws(CommandFailure) -> Void
  ) throws(CommandFailure) {
    let path = try UserFolder.requiredPath(of: fileName, console)
    let folder = FilePath.parent(of: path)
    try UserFolder.make(folder)
    let lock = FolderLock.waiting(folder)
    defer { withExtendedLifetime(lock) {} }
    var settings = try Settings(console)
    try body(&settings)
    try settings.write(to: path)
  }

  /// What a killed process has left beside the file is removed.
  private func write(to path: String) throws(CommandFailure) {
    let failure = { (fault: Staging.Fault) in
      switch fault {
      case .alreadyThere: CommandFailure(writing: path, .notAFile)
      case .unwritable(_, let fault): CommandFailure(writing: path, fault)
      }
    }
    try Staging.file(at: path, overwriting: true, failure: failure) {
      (staging) throws(CommandFailure) in
      do throws(FileFault) {
        try CompleteFile.write(text, to: staging)
      } catch {
        throw CommandFailure(writing: path, error)
      }
    }
  }
}

// MARK: The file

extension Settings {
  private init() {}

  /// Reads the text of the file that is at a path.
  init(parsing bytes: [UInt8], path: String) throws(CommandFailure) {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONDocument(parsing: bytes).root
    } catch {
      throw Self.invalid(path, "\(error)")
    }
    guard root.members != nil else { throw Self.invalid(path, "it holds no object") }
    model = try root.value("default_model", "a text", path, \.string)
    threads = try root.value("threads", "a number from 1 up", path, \.positiveCount)
    top = try root.value("top", "a number from 1 up", path, \.positiveCount)
    protected = Set(try root.value("protected", "a list of texts", path, \.texts) ?? [])
  }

  private var text: [UInt8] {
    var writer = JSONWriter(.indented)
    writer.object { writer in
      if let model { writer.member("default_model", model) }
      if let threads { writer.member("threads", threads) }
      if let top { writer.member("top", top) }
      writer.member(
        "protected", array: { writer in protected.sorted().forEach { writer.value($0) } })
    }
    return writer.bytes + Array("\n".utf8)
  }

  fileprivate static func invalid(_ path: String, _ problem: String) -> CommandFailure {
    CommandFailure("invalid-settings", "\(path): \(problem); mend or remove it", exit: .run)
  }
}

extension JSONNode {
  /// The value of a member as a type of its own; `nil` where there is no such member.
  fileprivate func value<Value>(
    _ key: String, _ expected: String, _ path: String, _ read: (JSONNode) -> Value?
  ) throws(CommandFailure) -> Value? {
    guard let node = self[key] else { return nil }
    if let value = read(node) { return value }
    throw Settings.invalid(path, "\(node.position): '\(key)' should be \(expected)")
  }

  fileprivate var positiveCount: Int? {
    int.flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  fileprivate var texts: [String]? {
    guard let elements else { return nil }
    let texts = elements.map(\.string)
    return texts.contains(nil) ? nil : texts.compactMap(\.self)
  }
}
