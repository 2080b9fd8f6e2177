internal import TensorIOCore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Fetches a pinned package of the Python registry, whatever Python this machine has.
struct WheelDownload {
  private let wheel: RuntimeWheel
  private let console: Console

  init(_ wheel: RuntimeWheel, _ console: Console) {
    self.wheel = wheel
    self.console = console
  }

  /// Fetches the package into a folder and returns its path.
  ///
  /// The downloader refuses a file whose digest is another than the pinned one.
  func fetch(into folder: String) throws(CommandFailure) -> String {
    let requirement = "\(folder)/requirement.txt"
    let text = "\(wheel.package)==\(wheel.version) --hash=sha256:\(wheel.sha256)\n"
    guard files.createFile(atPath: requirement, contents: Data(text.utf8)) else {
      throw CommandFailure("cannot-install", "\(folder) cannot be written to", exit: .runtime)
    }
    let growth = FolderGrowth(of: folder, to: wheel.byteCount, console)
    defer { growth.stop() }
    try Python.run(
      [
        "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--no-cache-dir",
        "--only-binary=:all:", "--require-hashes", "--python-version", wheel.pythonVersion,
        "--implementation", "cp", "--abi", wheel.abi, "--platform", wheel.platform,
        "--dest", folder, "--requirement", requirement,
      ], temporary: folder)
    let names = (try? files.contentsOfDirectory(atPath: folder)) ?? []
    guard let name = names.first(where: { $0.hasSuffix(".whl") }) else {
      throw CommandFailure("cannot-install", "pip fetched no package", exit: .runtime)
    }
    return "\(folder)/\(name)"
  }

  private var files: FileManager { .default }
}

/// The Python that fetches and unpacks.
enum Python {
  /// Runs Python, or says what it said when it failed.
  static func run(
    _ arguments: [String], temporary folder: String? = nil
  ) throws(CommandFailure) {
    let variables = folder.map { ["TMPDIR=\($0)"] } ?? []
    guard let outcome = Subprocess.run("python3", arguments, variables) else {
      throw CommandFailure(
        "cannot-install", "python3 is not there; install it (Debian: python3 python3-pip)",
        exit: .runtime)
    }
    guard outcome.status != 0 else { return }
    let hint = outcome.errors.contains("No module named pip") ? " (Debian: python3-pip)" : ""
    let lines = outcome.errors.split(separator: "\n").suffix(3).joined(separator: " ")
    throw CommandFailure(
      "cannot-install",
      "python3 \(arguments.prefix(3).joined(separator: " ")) failed: \(lines)\(hint)",
      exit: .runtime)
  }
}
