internal import TensorIOCore
internal import TensorIOSystem

/// The folder in which the user's models, data sets and settings are kept.
enum UserFolder {
  private static let variables = [DataFolder.variable, "XDG_DATA_HOME", "HOME"]

  /// Where something in it lies; `nil` when the environment names no such folder.
  static func path(of name: String, _ console: Console) -> String? {
    let values = variables.map { ($0, console.environment($0)) }.filter { $0.1 != nil }
    let environment = Dictionary(uniqueKeysWithValues: values.map { ($0.0, $0.1 ?? "") })
    return DataFolder(environment: environment).map { "\($0.path)/\(name)" }
  }

  /// Where something in it lies, for whoever cannot do without.
  static func requiredPath(
    of name: String, _ console: Console
  ) throws(CommandFailure) -> String {
    if let path = path(of: name, console) { return path }
    throw CommandFailure(
      "missing-folder",
      "there is no home folder; set \(DataFolder.variable) to a folder for TensorIO", exit: .run)
  }

  /// Makes a folder, and those that it lies in.
  static func make(_ path: String) throws(CommandFailure) {
    do throws(FileFault) {
      try Folder.makeAll(path)
    } catch {
      throw CommandFailure(
        "unwritable",
        "\(path) cannot be made: \(error.problem); "
          + "set \(DataFolder.variable) to a folder that can be written to", exit: .run)
    }
  }
}

extension CommandFailure {
  /// A file of the user's folder that the system does not let be changed.
  init(writing path: String, _ fault: FileFault) {
    self.init("unwritable", "\(path): \(fault.problem)", exit: .run)
  }
}
