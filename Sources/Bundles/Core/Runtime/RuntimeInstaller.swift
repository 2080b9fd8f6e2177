import Dispatch
import TensorIOBundle
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Installs a runtime's library from a pinned package into the data folder.
package struct RuntimeInstaller {
  /// Receives messages about the progress.
  package typealias Reporter = @Sendable (_ message: String) -> Void

  private let specification: RuntimeLibrarySpecification
  private let report: Reporter
  private var files: FileManager { .default }

  /// Creates an installer of a library.
  package init(_ specification: RuntimeLibrarySpecification, report: @escaping Reporter) {
    (self.specification, self.report) = (specification, report)
  }

  /// Installs the library, unless it is already installed, and returns its path.
  package func install() throws(OperationError) -> String {
    guard let folder = DataDirectory(environment: ProcessInfo.processInfo.environment) else {
      throw installError("no data folder: set \(DataDirectory.environmentVariable) or HOME")
    }
    let library = folder.libraryPath(for: specification)
    guard !files.fileExists(atPath: library) else {
      report("\(specification.displayName) \(specification.version) is already installed")
      return library
    }
    guard let wheel = specification.wheel() else {
      throw installError(
        "\(specification.displayName) has no package for this processor; "
          + "set \(specification.environmentVariable) to the path of the library")
    }
    try install(wheel, into: folder)
    return library
  }

  /// Prepares the files in a staging folder, which then replaces the target atomically.
  private func install(_ wheel: RuntimeWheel, into folder: DataDirectory) throws(OperationError) {
    let target = "\(folder.path)/\(specification.installPath)"
    let staging = "\(target).\(ProcessInfo.processInfo.processIdentifier)"
    try makeStagingFolder(staging, in: folder)
    defer { try? files.removeItem(atPath: staging) }
    let size = wheel.byteCount.megabytes
    report("downloading \(wheel.package) \(wheel.version) for \(wheel.platform), \(size) MB")
    let package = try download(wheel, into: staging, for: target)
    report("unpacking the \(wheel.libraries.count == 1 ? "library" : "libraries")")
    let unpacked = "\(staging)/unpacked"
    try Python.run(["-c", Self.unpackScript, package, unpacked] + wheel.libraries)
    try moveLibraries(wheel.libraries.map { "\(unpacked)/\($0)" }, staging: staging, target: target)
  }

  /// Downloads a package; the error of a failed download explains how to install it without one.
  private func download(
    _ wheel: RuntimeWheel, into staging: String, for target: String
  ) throws(OperationError) -> String {
    do {
      return try WheelDownloader(wheel: wheel, report: report).fetch(into: staging)
    } catch {
      let names = wheel.libraries.map(FilePath.lastComponent(of:)).joined(separator: " and ")
      throw installError(
        "\(error.message); without network access, copy \(names) into \(target) from a machine "
          + "with the same processor, on which 'tensorio runtime where \(specification.name)' "
          + "prints the path, or set \(specification.environmentVariable) to the path of a copy")
    }
  }

  /// Extracts individual files from a large archive.
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
        "cannot write to \(folder.path); "
          + "set \(DataDirectory.environmentVariable) to a writable folder"
      )
    }
  }

  private func moveLibraries(
    _ libraries: [String], staging: String, target: String
  ) throws(OperationError) {
    do {
      let ready = "\(staging)/ready"
      try files.createDirectory(atPath: ready, withIntermediateDirectories: true)
      for library in libraries {
        let name = FilePath.lastComponent(of: library)
        try files.moveItem(atPath: library, toPath: "\(ready)/\(name)")
      }
      try files.moveItem(atPath: ready, toPath: target)
    } catch {
      // Another process may have installed it in the meantime.
      guard files.fileExists(atPath: target) else {
        throw installError("cannot install into \(target): \(error)")
      }
    }
  }

  private func installError(_ message: String) -> OperationError {
    OperationError("install-failed", message, exitCode: .runtimeUnavailable)
  }
}

/// Downloads a pinned wheel with pip, independent of the installed Python version.
struct WheelDownloader {
  let wheel: RuntimeWheel
  let report: RuntimeInstaller.Reporter

  /// Downloads the package into a folder and returns its path.
  ///
  /// pip rejects a file whose digest differs from the pinned one.
  func fetch(into folder: String) throws(OperationError) -> String {
    let requirement = "\(folder)/requirement.txt"
    let text = "\(wheel.package)==\(wheel.version) --hash=sha256:\(wheel.sha256)\n"
    guard files.createFile(atPath: requirement, contents: Data(text.utf8)) else {
      throw OperationError(
        "install-failed", "cannot write to \(folder)", exitCode: .runtimeUnavailable)
    }
    let growth = FolderSizeMonitor(folder: folder, expectedBytes: wheel.byteCount, report)
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
      throw OperationError(
        "install-failed", "pip downloaded no package", exitCode: .runtimeUnavailable)
    }
    return "\(folder)/\(name)"
  }

  private var files: FileManager { .default }
}

/// The Python interpreter that downloads and unpacks packages.
enum Python {
  /// Runs Python, and throws its error output if it fails.
  static func run(
    _ arguments: [String], temporaryFolder folder: String? = nil
  ) throws(OperationError) {
    let variables = folder.map { ["TMPDIR=\($0)"] } ?? []
    guard let outcome = Subprocess.run("python3", arguments, environment: variables) else {
      throw OperationError(
        "install-failed", "cannot find python3; install it (Debian: python3 python3-pip)",
        exitCode: .runtimeUnavailable)
    }
    guard outcome.status != 0 else { return }
    let hint = outcome.standardError.contains("No module named pip") ? " (Debian: python3-pip)" : ""
    let lines = outcome.standardError.split(separator: "\n").suffix(3).joined(separator: " ")
    throw OperationError(
      "install-failed",
      "python3 \(arguments.prefix(3).joined(separator: " ")) failed: \(lines)\(hint)",
      exitCode: .runtimeUnavailable)
  }
}

/// Reports the progress of a download periodically, from the size of its folder.
struct FolderSizeMonitor {
  private let timer: any DispatchSourceTimer

  /// Starts reporting; downloads shorter than five seconds are not reported.
  init(folder: String, expectedBytes total: Int, _ report: @escaping RuntimeInstaller.Reporter) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "tensorio.download"))
    timer.schedule(deadline: .now() + 5, repeating: 5)
    timer.setEventHandler {
      let count = min(FileSystem.byteCount(of: folder), total)
      report("\(count.megabytes) of \(total.megabytes) MB")
    }
    timer.resume()
  }

  /// Stops reporting.
  func stop() { timer.cancel() }
}
