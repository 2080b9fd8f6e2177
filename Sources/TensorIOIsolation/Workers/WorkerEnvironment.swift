internal import TensorIOCore
internal import TensorIOSystem

/// The few variables that a worker gets: where runtimes are, and how many threads they may use.
///
/// Not the loader's: a library that a variable slips in is in no worker.
enum WorkerEnvironment {
  static let names = [
    "TENSORIO_LITERT_LIBRARY", "TENSORIO_TENSORFLOW_LIBRARY", "TENSORIO_THREADS", "OMP_NUM_THREADS",
    "TENSORIO_LOG",
  ]

  /// A worker that crashes is to end, and not to look at itself for seconds.
  private static let quietEnd = "SWIFT_BACKTRACE=enable=no"

  static var current: [String] {
    let homes = [DataFolder.variable, "XDG_DATA_HOME", "HOME"].compactMap { name in
      Platform.environment(name).map { (name, $0) }
    }
    let folder = DataFolder(environment: Dictionary(uniqueKeysWithValues: homes))
    let home = folder.map { "\(DataFolder.variable)=\(AbsolutePath.of($0.path))" }
    return [home, quietEnd].compactMap(\.self)
      + names.compactMap { name in Platform.environment(name).map { "\(name)=\(path(name, $0))" } }
  }

  /// A worker stands in another folder, where a relative path means something else.
  private static func path(_ name: String, _ value: String) -> String {
    name.hasSuffix("_LIBRARY") && value.contains("/") ? AbsolutePath.of(value) : value
  }
}

/// Paths that mean the same wherever a process stands.
enum AbsolutePath {
  static func of(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    return FilePath.resolved(path) ?? "\(FilePath.resolved(".") ?? "")/\(path)"
  }
}
