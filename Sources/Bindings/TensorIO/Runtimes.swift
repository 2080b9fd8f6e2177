public import TensorIOBundle
import TensorIOCore
import TensorIORuntimes
import TensorIOSystem

/// The libraries that run models, which are not part of the package.
public enum Runtimes {
  /// Installs the library of a runtime, unless there is one, on the calling thread.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// func open(_ path: String) throws -> Model {
  ///   try Runtimes.install(.tflite) { print($0) }
  ///   return try Model(at: path)
  /// }
  /// ```
  ///
  /// It does what `tensorio runtime install` does: `pip` downloads a pinned package, whose digest is
  /// compared with the one in this library, and the libraries in it are moved into the data folder
  /// (`TENSORIO_HOME`, otherwise `~/.local/share/tensorio`). It requires `python3` with `pip`.
  ///
  /// - Parameters:
  ///   - runtime: The runtime: `.tflite` for LiteRT, `.onnx` for ONNX Runtime, or `.tensorflow`, which is
  ///     large.
  ///   - report: Receives messages about the progress.
  /// - Returns: The path of the library.
  /// - Throws: A ``ModelError`` of the stage `runtime` if the library cannot be downloaded or written.
  @discardableResult
  public static func install(
    _ runtime: BackendIdentifier, report: @escaping @Sendable (_ message: String) -> Void = { _ in }
  ) throws(ModelError) -> String {
    guard let library = BuiltInRuntimes.all.first(where: { $0.identifier == runtime })?.library
    else {
      throw ModelError(
        .runtime, .unknownBackend(runtime, known: BuiltInRuntimes.all.map(\.identifier)))
    }
    if let path = path(of: library) { return path }
    do throws(OperationError) {
      return try RuntimeInstaller(library, report: report).install()
    } catch {
      throw ModelError(.runtime, .failed(.init(error.message)))
    }
  }

  /// Installs the library of a runtime, unless there is one, on a background thread.
  ///
  /// - Parameters:
  ///   - runtime: The runtime.
  ///   - report: Receives messages about the progress.
  /// - Returns: The path of the library.
  /// - Throws: A ``ModelError`` of the stage `runtime` if the library cannot be downloaded or written.
  @discardableResult
  public static func install(
    _ runtime: BackendIdentifier, report: @escaping @Sendable (_ message: String) -> Void = { _ in }
  ) async throws(ModelError) -> String {
    try await BackgroundThread.run { () throws(ModelError) in
      try installBlocking(runtime, report)
    }
  }

  /// Returns the path of a library that the search finds as a file.
  private static func path(of library: RuntimeLibrarySpecification) -> String? {
    RuntimeLibrarySearch(for: library).candidates()
      .first { $0.path.contains("/") && !$0.isMissing }?.path
  }

  /// Selects the overload that blocks.
  private static func installBlocking(
    _ runtime: BackendIdentifier, _ report: @escaping @Sendable (String) -> Void
  ) throws(ModelError) -> String { try install(runtime, report: report) }
}
