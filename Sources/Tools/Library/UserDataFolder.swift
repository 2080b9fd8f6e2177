package import TensorIOCore
package import TensorIOSystem

/// The data folder, which contains the user's models, datasets and settings.
package enum UserDataFolder {
  private static let variables = [DataDirectory.environmentVariable, "XDG_DATA_HOME", "HOME"]

  /// Returns the path of an item in the folder, or `nil` if the environment names no folder.
  package static func path(
    of name: String, _ environment: (String) -> String? = Platform.environment
  ) -> String? {
    let values = variables.map { ($0, environment($0)) }.filter { $0.1 != nil }
    let environment = Dictionary(uniqueKeysWithValues: values.map { ($0.0, $0.1 ?? "") })
    return DataDirectory(environment: environment).map { "\($0.path)/\(name)" }
  }

  /// Returns the path of an item in the folder, and throws if the environment names no folder.
  package static func requiredPath(
    of name: String, _ context: any OperationContext
  ) throws(OperationError) -> String {
    if let path = path(of: name, context.environment) { return path }
    throw OperationError(
      "missing-data-folder",
      "no data folder: set \(DataDirectory.environmentVariable) or HOME", exitCode: .operationFailed
    )
  }

  /// Creates a folder and its parents.
  package static func create(_ path: String) throws(OperationError) {
    do throws(FileError) {
      try FileSystem.createDirectories(path)
    } catch {
      throw OperationError(
        "unwritable",
        "cannot create \(path): \(error.message); "
          + "set \(DataDirectory.environmentVariable) to a writable folder",
        exitCode: .operationFailed)
    }
  }
}

extension OperationError {
  /// The error of a file that cannot be written.
  package init(writing path: String, _ error: FileError) {
    self.init("unwritable", "\(path): \(error.message)", exitCode: .operationFailed)
  }
}
