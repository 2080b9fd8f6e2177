import TensorIOCore
import TensorIOJSON
import TensorIOSystem

/// What the user has chosen once for all runs.
struct Settings: Sendable, Equatable {
  /// The name of the model that is run when the command line names none.
  var defaultModel: String?
  /// How many threads that model may use.
  var threads: Int?
  /// How many labels are shown of it.
  var top: Int?
  /// The names of the models that are not removed by mistake.
  var protectedModels: Set<String> = []

  private static let fileName = "settings.json"
  private static let maxBytes = 1 << 20

  /// What is chosen now; nothing where there is no file.
  init(_ console: Console) throws(OperationError) {
    guard let path = UserDataFolder.path(of: Self.fileName, console), FileKind(at: path) != nil else {
      self.init()
      return
    }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileBytes.contents(of: path, limit: Self.maxBytes)
    } catch {
      throw Self.invalid(path, error.message)
    }
    try self.init(parsing: bytes, path: path)
  }

  /// Changes what is chosen; nobody else changes it in between.
  static func update(
    _ console: Console, _ body: (inout Settings) throws(OperationError) -> Void
  ) throws(OperationError) {
    let path = try UserDataFolder.requiredPath(of: fileName, console)
    let folder = FilePath.parent(of: path)
    try UserDataFolder.create(folder)
    let lock = DirectoryLock.acquire(folder)
    defer { withExtendedLifetime(lock) {} }
    var settings = try Settings(console)
    try body(&settings)
    try settings.write(to: path)
  }

  /// What a killed process has left beside the file is removed.
  private func write(to path: String) throws(OperationError) {
    let failure = { (fault: Staging.StagingError) in
      switch fault {
      case .alreadyExists: OperationError(writing: path, .notARegularFile)
      case .unwritable(_, let fault): OperationError(writing: path, fault)
      }
    }
    try Staging.file(at: path, overwriting: true, mapError: failure) {
      (staging) throws(OperationError) in
      do throws(FileError) {
        try AtomicFile.write(json, to: staging)
      } catch {
        throw OperationError(writing: path, error)
      }
    }
  }
}

// MARK: The file

extension Settings {
  private init() {}

  /// Reads the text of the file that is at a path.
  init(parsing bytes: [UInt8], path: String) throws(OperationError) {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONDocument(parsing: bytes).root
    } catch {
      throw Self.invalid(path, "\(error)")
    }
    guard root.members != nil else { throw Self.invalid(path, "it holds no object") }
    defaultModel = try root.value("default_model", "a text", path, \.string)
    threads = try root.value("threads", "a number from 1 up", path, \.positiveCount)
    top = try root.value("top", "a number from 1 up", path, \.positiveCount)
    protectedModels = Set(try root.value("protected", "a list of texts", path, \.strings) ?? [])
  }

  private var json: [UInt8] {
    var writer = JSONWriter(.indented)
    writer.object { writer in
      if let defaultModel { writer.member("default_model", defaultModel) }
      if let threads { writer.member("threads", threads) }
      if let top { writer.member("top", top) }
      writer.member(
        "protected", array: { writer in protectedModels.sorted().forEach { writer.value($0) } })
    }
    return writer.bytes + Array("\n".utf8)
  }

  fileprivate static func invalid(_ path: String, _ problem: String) -> OperationError {
    OperationError("invalid-settings", "\(path): \(problem); mend or remove it", exitCode: .inferenceFailed)
  }
}

extension JSONNode {
  /// The value of a member as a type of its own; `nil` where there is no such member.
  fileprivate func value<Value>(
    _ key: String, _ expected: String, _ path: String, _ read: (JSONNode) -> Value?
  ) throws(OperationError) -> Value? {
    guard let node = self[key] else { return nil }
    if let value = read(node) { return value }
    throw Settings.invalid(path, "\(node.position): '\(key)' should be \(expected)")
  }

  fileprivate var positiveCount: Int? {
    int.flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  fileprivate var strings: [String]? {
    guard let elements else { return nil }
    let texts = elements.map(\.string)
    return texts.contains(nil) ? nil : texts.compactMap(\.self)
  }
}

/// The folder in which the user's models, data sets and settings are kept.
enum UserDataFolder {
  private static let variables = [DataDirectory.environmentVariable, "XDG_DATA_HOME", "HOME"]

  /// Where something in it lies; `nil` when the environment names no such folder.
  static func path(of name: String, _ console: Console) -> String? {
    let values = variables.map { ($0, console.environment($0)) }.filter { $0.1 != nil }
    let environment = Dictionary(uniqueKeysWithValues: values.map { ($0.0, $0.1 ?? "") })
    return DataDirectory(environment: environment).map { "\($0.path)/\(name)" }
  }

  /// Where something in it lies, for whoever cannot do without.
  static func requiredPath(
    of name: String, _ console: Console
  ) throws(OperationError) -> String {
    if let path = path(of: name, console) { return path }
    throw OperationError(
      "missing-folder",
      "there is no home folder; set \(DataDirectory.environmentVariable) to a folder for TensorIO", exitCode: .inferenceFailed)
  }

  /// Makes a folder, and those that it lies in.
  static func create(_ path: String) throws(OperationError) {
    do throws(FileError) {
      try FileSystem.createDirectories(path)
    } catch {
      throw OperationError(
        "unwritable",
        "\(path) cannot be made: \(error.message); "
          + "set \(DataDirectory.environmentVariable) to a folder that can be written to", exitCode: .inferenceFailed)
    }
  }
}

extension OperationError {
  /// A file of the user's folder that the system does not let be changed.
  init(writing path: String, _ fault: FileError) {
    self.init("unwritable", "\(path): \(fault.message)", exitCode: .inferenceFailed)
  }
}
