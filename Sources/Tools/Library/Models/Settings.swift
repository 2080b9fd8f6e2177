package import TensorIOCore
import TensorIOJSON
import TensorIOSystem

/// The user's settings for all runs.
package struct Settings: Sendable, Equatable {
  /// The name of the model that runs when a command line names none.
  package var defaultModel: String?
  /// The number of threads of the default model.
  package var threads: Int?
  /// The number of labels shown for the default model.
  package var top: Int?
  /// The names of the models that are protected from accidental removal.
  package var protectedModels: Set<String> = []

  private static let fileName = "settings.json"
  private static let maxBytes = 1 << 20

  /// Loads the settings; without a file, all are at their defaults.
  package init(_ context: any OperationContext) throws(OperationError) {
    guard let path = UserDataFolder.path(of: Self.fileName, context.environment),
      FileKind(at: path) != nil
    else {
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

  /// Changes the settings under a lock.
  package static func update(
    _ context: any OperationContext, _ body: (inout Settings) throws(OperationError) -> Void
  ) throws(OperationError) {
    let path = try UserDataFolder.requiredPath(of: fileName, context)
    let folder = FilePath.parent(of: path)
    try UserDataFolder.create(folder)
    let lock: DirectoryLock
    do throws(FileError) {
      lock = try DirectoryLock.acquire(folder)
    } catch {
      throw OperationError(writing: path, error)
    }
    defer { withExtendedLifetime(lock) {} }
    var settings = try Settings(context)
    try body(&settings)
    try settings.write(to: path)
  }

  /// Writes the file atomically, and removes temporary files of killed processes.
  private func write(to path: String) throws(OperationError) {
    let mapError = { (error: Staging.StagingError) in
      switch error {
      case .alreadyExists: OperationError(writing: path, .notARegularFile)
      case .unwritable(_, let error): OperationError(writing: path, error)
      }
    }
    try Staging.file(at: path, overwriting: true, mapError: mapError) {
      (staging) throws(OperationError) in
      do throws(FileError) {
        try AtomicFile.write(json, to: staging, isDurable: false)
      } catch {
        throw OperationError(writing: path, error)
      }
    }
  }
}

// MARK: The file

extension Settings {
  private init() {}

  /// Parses the contents of the file at `path`.
  package init(parsing bytes: [UInt8], path: String) throws(OperationError) {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONDocument(parsing: bytes).root
    } catch {
      throw Self.invalid(path, "\(error)")
    }
    guard root.members != nil else { throw Self.invalid(path, "expected a JSON object") }
    defaultModel = try root.value("default_model", "a string", path, \.string)
    threads = try root.value("threads", "a positive integer", path, \.positiveCount)
    top = try root.value("top", "a positive integer", path, \.positiveCount)
    protectedModels = Set(try root.value("protected", "an array of strings", path, \.strings) ?? [])
  }

  private var json: [UInt8] {
    var writer = JSONWriter(.indented)
    writer.object { writer in
      if let defaultModel { writer.member("default_model", defaultModel) }
      if let threads { writer.member("threads", threads) }
      if let top { writer.member("top", top) }
      writer.member("protected", array: protectedModels.sorted()) { $0.value($1) }
    }
    return writer.bytes + Array("\n".utf8)
  }

  fileprivate static func invalid(_ path: String, _ problem: String) -> OperationError {
    OperationError(
      "invalid-settings", "\(path): \(problem); correct or remove the file",
      exitCode: .operationFailed)
  }
}

extension JSONNode {
  /// Returns the converted value of a member, or `nil` if it is missing.
  fileprivate func value<Value>(
    _ key: String, _ expected: String, _ path: String, _ read: (JSONNode) -> Value?
  ) throws(OperationError) -> Value? {
    guard let node = self[key] else { return nil }
    if let value = read(node) { return value }
    throw Settings.invalid(path, "\(node.position): '\(key)' must be \(expected)")
  }

  fileprivate var positiveCount: Int? {
    int.flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  fileprivate var strings: [String]? {
    guard let elements else { return nil }
    let strings = elements.map(\.string)
    return strings.contains(nil) ? nil : strings.compactMap(\.self)
  }
}
