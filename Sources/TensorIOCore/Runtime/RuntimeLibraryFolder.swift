/// The folder in which TensorIO keeps what belongs to a user rather than to a project.
public struct DataFolder: Sendable, Hashable {
  /// The variable that names the folder outright.
  public static let variable = "TENSORIO_HOME"
  /// All variables that may say where the folder is.
  package static let variables = [variable, "XDG_DATA_HOME", "HOME"]

  /// Where it is.
  public let path: String

  /// A folder at a path.
  public init(path: String) {
    self.path = path
  }

  /// The folder that the environment asks for, or `nil` when it names neither a folder nor a home.
  public init?(environment: [String: String]) {
    if let home = environment[Self.variable], !home.isEmpty {
      path = home
    } else if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      path = data + "/tensorio"
    } else if let home = environment["HOME"], !home.isEmpty {
      path = home + "/.local/share/tensorio"
    } else {
      return nil
    }
  }

  /// Where a runtime's library lies once it is installed.
  public func library(of specification: RuntimeSpecification) -> String {
    "\(path)/\(specification.installFolder)/\(specification.libraryFile)"
  }
}
