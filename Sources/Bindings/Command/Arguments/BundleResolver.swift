import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIORuntimes
import TensorIOSystem

/// Resolves the bundle arguments of command lines to paths.
enum BundleResolver {
  /// Returns the path of the bundle that an argument names.
  static func path(for argument: String, _ console: Console) -> String {
    UserLibrary.path(for: argument, console.environment)
  }

  /// Returns the error for an argument, with a suggestion if no bundle was found: a bundle with a
  /// similar name in the same folder, or the names in the library.
  static func explaining(
    _ error: ModelError, for argument: String, _ console: Console
  ) -> OperationError {
    if isBareModel(argument) {
      let command = "\(console.program.command) init \(argument.shellEscaped)"
      return OperationError(
        error.code,
        "\(argument): this is a model without a description; to create a bundle, run "
          + "`\(command)`", exitCode: ExitCode(error.stage))
    }
    guard error.reason == .missingBundle, FileKind(at: argument) == nil else {
      return OperationError(error)
    }
    if let path = similarPath(to: argument) {
      return OperationError(
        error.code, "\(error); did you mean '\(path)'?", exitCode: ExitCode(error.stage))
    }
    guard UserLibrary.isName(argument) else { return OperationError(error) }
    do throws(ModelError) {
      _ = try UserLibrary.named(console.environment)?.bundle(named: argument)
    } catch let unknown {
      if case ModelError.unknownBundle = unknown { return OperationError(unknown) }
    }
    return OperationError(error)
  }

  /// Returns whether a path is that of a model without a `model.json`.
  private static func isBareModel(_ path: String) -> Bool {
    switch FileKind(at: path) {
    case .file: BuiltInRuntimes.all.contains { $0.format.matches(modelAt: path) }
    case .directory:
      FileKind(at: path + "/model.json") == nil
        && BuiltInRuntimes.all.contains { $0.format.matches(modelAt: path) }
    default: false
    }
  }

  private static let extensions: Set = ["tiobundle", "tfbundle", "tiochain", "zip", "json"]

  /// Returns the path with the most similar name among the bundles, chains and archives in the
  /// folder of a missing path; `nil` if none is similar.
  static func similarPath(to path: String) -> String? {
    let folder = FilePath.parent(of: FilePath.removingTrailingSlashes(path))
    let names = ((try? FileSystem.entryNames(in: folder)) ?? [])
      .filter { extensions.contains(FilePath.pathExtension(of: $0)) }
    let match = Spelling.closestMatch(to: stem(of: path), among: names.map(stem))
    guard let name = names.first(where: { stem(of: $0) == match }) else { return nil }
    return path.contains("/") ? "\(folder)/\(name)" : name
  }

  /// Returns the last component of a path without the extensions of bundles and archives.
  private static func stem(of path: String) -> String {
    var name = FilePath.lastComponent(of: path)
    while extensions.contains(FilePath.pathExtension(of: name)) { name = FilePath.stem(of: name) }
    return name
  }
}
