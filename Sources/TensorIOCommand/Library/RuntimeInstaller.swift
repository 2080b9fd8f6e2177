import Dispatch
import TensorIOCore
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Puts a runtime's library into the data folder, out of a pinned package.
struct RuntimeInstaller {
  private let specification: RuntimeLibrarySpecification
  private let console: Console
  private let files = FileManager.default

  init(_ specification: RuntimeLibrarySpecification, _ console: Console) {
    self.specification = specification
    self.console = console
  }

  /// Installs the library unless it is there, and prints where it lies.
  func install() throws(OperationError) {
    guard let folder = DataDirectory(environment: ProcessInfo.processInfo.environment) else {
      throw installError("there is no home folder; set \(DataDirectory.environmentVariable) to a folder for TensorIO")
    }
    let library = folder.libraryPath(for: specification)
    guard !files.fileExists(atPath: library) else {
      console.info("\(specification.displayName) \(specification.version) is installed already")
      return console.print(library)
    }
    guard let wheel = specification.wheel() else {
      throw installError(
        "no package of \(specification.displayName) is known for this processor; "
          + "set \(specification.environmentVariable) to a library of your own")
    }
    try install(wheel, into: folder)
    console.print(library)
  }

  /// Works in a folder beside the final one, which appears complete or not at all.
  private func install(_ wheel: RuntimeWheel, into folder: DataDirectory) throws(OperationError) {
    let target = "\(folder.path)/\(specification.installPath)"
    let staging = "\(target).\(ProcessInfo.processInfo.processIdentifier)"
    try makeStagingFolder(staging, in: folder)
    defer { try? files.removeItem(atPath: staging) }
    let size = wheel.byteCount.megabytes
    console.info("fetching \(wheel.package) \(wheel.version) for \(wheel.platform), \(size) MB")
    let package = try WheelDownloader(wheel, console).fetch(into: staging)
    console.info("unpacking \(wheel.libraries.count == 1 ? "its library" : "its libraries")")
    let unpacked = "\(staging)/unpacked"
    try Python.run(["-c", Self.unpackScript, package, unpacked] + wheel.libraries)
    try moveLibraries(wheel.libraries.map { "\(unpacked)/\($0)" }, staging: staging, target: target)
  }

  /// Takes a few files out of an archive that may be much larger.
  private static let unpackScript = """
    import sys, zipfile
    archive = zipfile.ZipFile(sys.argv[1])
    for name in sys.argv[3:]: archive.extract(name, sys.argv[2])
    """

  private func makeStagingFolder(_ path: String, in folder: DataDirectory) throws(OperationError) {
    do {
      try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw installError(
        "\(folder.path) cannot be written to; set \(DataDirectory.environmentVariable) to a folder that can")
    }
  }

  private func moveLibraries(
    _ libraries: [String], staging: String, target: String
  ) throws(OperationError) {
    do {
      let ready = "\(staging)/ready"
      try files.createDirectory(atPath: ready, withIntermediateDirectories: true)
      for library in libraries {
        let name = library.split(separator: "/").last.map(String.init) ?? library
        try files.moveItem(atPath: library, toPath: "\(ready)/\(name)")
      }
      try files.moveItem(atPath: ready, toPath: target)
    } catch {
      // Somebody else may have installed it in the meantime, which is as good.
      guard files.fileExists(atPath: target) else {
        throw installError("cannot install into \(target): \(error)")
      }
    }
  }

  private func installError(_ message: String) -> OperationError {
    OperationError("cannot-install", message, exitCode: .runtimeUnavailable)
  }
}

/// Fetches a pinned package of the Python registry, whatever Python this machine has.
struct WheelDownloader {
  private let wheel: RuntimeWheel
  private let console: Console

  init(_ wheel: RuntimeWheel, _ console: Console) {
    self.wheel = wheel
    self.console = console
  }

  /// Fetches the package into a folder and returns its path.
  ///
  /// The downloader refuses a file whose digest is another than the pinned one.
  func fetch(into folder: String) throws(OperationError) -> String {
    let requirement = "\(folder)/requirement.txt"
    let text = "\(wheel.package)==\(wheel.version) --hash=sha256:\(wheel.sha256)\n"
    guard files.createFile(atPath: requirement, contents: Data(text.utf8)) else {
      throw OperationError("cannot-install", "\(folder) cannot be written to", exitCode: .runtimeUnavailable)
    }
    let growth = FolderSizeMonitor(folder: folder, expectedBytes: wheel.byteCount, console)
    defer { growth.stop() }
    try Python.run(
      [
        "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--no-cache-dir",
        "--only-binary=:all:", "--require-hashes", "--python-version", wheel.pythonVersion,
        "--implementation", "cp", "--abi", wheel.abi, "--platform", wheel.platform,
        "--dest", folder, "--requirement", requirement,
      ], temporaryFolder: folder)
    let names = (try? files.contentsOfDirectory(atPath: folder)) ?? []
    guard let name = names.first(where: { $0.hasSuffix(".whl") }) else {
      throw OperationError("cannot-install", "pip fetched no package", exitCode: .runtimeUnavailable)
    }
    return "\(folder)/\(name)"
  }

  private var files: FileManager { .default }
}

/// The Python that fetches and unpacks.
enum Python {
  /// Runs Python, or says what it said when it failed.
  static func run(
    _ arguments: [String], temporaryFolder folder: String? = nil
  ) throws(OperationError) {
    let variables = folder.map { ["TMPDIR=\($0)"] } ?? []
    guard let outcome = Subprocess.run("python3", arguments, environment: variables) else {
      throw OperationError(
        "cannot-install", "python3 is not there; install it (Debian: python3 python3-pip)",
        exitCode: .runtimeUnavailable)
    }
    guard outcome.status != 0 else { return }
    let hint = outcome.standardError.contains("No module named pip") ? " (Debian: python3-pip)" : ""
    let lines = outcome.standardError.split(separator: "\n").suffix(3).joined(separator: " ")
    throw OperationError(
      "cannot-install",
      "python3 \(arguments.prefix(3).joined(separator: " ")) failed: \(lines)\(hint)",
      exitCode: .runtimeUnavailable)
  }
}

/// Says now and then how much of a download has come, by how much lies in its folder.
struct FolderSizeMonitor {
  private let timer: any DispatchSourceTimer

  /// Looks at a folder until it is stopped; short downloads go without a word.
  init(folder: String, expectedBytes total: Int, _ console: Console) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "tensorio.download"))
    timer.schedule(deadline: .now() + 5, repeating: 5)
    timer.setEventHandler {
      let count = min(FileSystem.byteCount(of: folder), total)
      console.info("\(count.megabytes) of \(total.megabytes) MB")
    }
    timer.resume()
  }

  /// Looks no more.
  func stop() { timer.cancel() }
}

extension FileSystem {
  /// How many bytes a file has, or all files in a folder together.
  static func byteCount(of path: String) -> Int {
    guard FileKind(at: path, followingSymlinks: false) == .directory else {
      return (try? ReadableFile(path))?.byteCount ?? 0
    }
    return ((try? entryNames(in: path)) ?? []).reduce(0) { $0 + byteCount(of: path + "/" + $1) }
  }
}

extension Int {
  /// A number of bytes in millions.
  var megabytes: Int { self / 1_000_000 }
}
