import TensorIOBundle
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

  private static let format = ObjectFormat("the settings", schema: "settings", Settings()) {
    Field("default_model", \.defaultModel, .string, "The name of the default model.")
    Field("threads", \.threads, .positive, "The number of threads of the default model.")
    Field("top", \.top, .positive, "The number of labels shown for the default model.")
    Field(
      "protected", \.protectedModels,
      ValueFormat<[String]>.strings.converted({ names, _, _ in Set(names) }, back: { $0.sorted() }),
      default: [],
      isAlwaysWritten: true, "The models that are protected from accidental removal.")
  }

  /// Parses the contents of the file at `path`.
  package init(parsing bytes: [UInt8], path: String) throws(OperationError) {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONDocument(parsing: bytes).root
    } catch {
      throw Self.invalid(path, "\(error)")
    }
    guard root.members != nil else { throw Self.invalid(path, "expected a JSON object") }
    var reader = FormatReader()
    let settings = Self.format.read(root, &reader)
    let errors = reader.log.diagnostics.filter { $0.severity == .error }
    let keys = errors.compactMap { $0.path.split(separator: "/").first.map(String.init) }
    guard let field = Self.format.fields.first(where: { keys.contains($0.key) }) else {
      self = settings ?? Settings()
      return
    }
    let position = root[field.key]?.position ?? root.position
    throw Self.invalid(path, "\(position): '\(field.key)' must be \(field.reference.expected)")
  }

  /// The contents of the file.
  var json: [UInt8] { Self.format.value.document(self) }

  private static func invalid(_ path: String, _ problem: String) -> OperationError {
    OperationError(
      "invalid-settings", "\(path): \(problem); correct or remove the file",
      exitCode: .operationFailed)
  }
}

extension ValueFormat<Int> {
  fileprivate static let positive = integer(1...Int.max, expected: "a positive integer")
}
