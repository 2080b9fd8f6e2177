internal import TensorIOCore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Puts a runtime's library into the data folder, out of a pinned package.
struct RuntimeInstaller {
  private let specification: RuntimeSpecification
  private let console: Console
  private let files = FileManager.default

  init(_ specification: RuntimeSpecification, _ console: Console) {
    self.specification = specification
    self.console = console
  }

  /// Installs the library unless it is there, and prints where it lies.
  func install() throws(CommandFailure) {
    guard let folder = DataFolder(environment: ProcessInfo.processInfo.environment) else {
      throw failure("there is no home folder; set \(DataFolder.variable) to a folder for TensorIO")
    }
    let library = folder.library(of: specification)
    guard !files.fileExists(atPath: library) else {
      console.note("\(specification.title) \(specification.version) is installed already")
      return console.print(library)
    }
    guard let wheel = specification.wheel() else {
      throw failure(
        "no package of \(specification.title) is known for this processor; "
          + "set \(specification.environmentVariable) to a library of your own")
    }
    try install(wheel, into: folder)
    console.print(library)
  }

  /// Works in a folder beside the final one, which appears complete or not at all.
  private func install(_ wheel: RuntimeWheel, into folder: DataFolder) throws(CommandFailure) {
    let target = "\(folder.path)/\(specification.installFolder)"
    let staging = "\(target).\(ProcessInfo.processInfo.processIdentifier)"
    try makeFolder(staging, in: folder)
    defer { try? files.removeItem(atPath: staging) }
    let size = wheel.byteCount.megabytes
    console.note("fetching \(wheel.package) \(wheel.version) for \(wheel.platform), \(size) MB")
    let package = try WheelDownload(wheel, console).fetch(into: staging)
    console.note("unpacking \(wheel.libraries.count == 1 ? "its library" : "its libraries")")
    let unpacked = "\(staging)/unpacked"
    try Python.run(["-c", Self.unpacking, package, unpacked] + wheel.libraries)
    try place(wheel.libraries.map { "\(unpacked)/\($0)" }, staging: staging, target: target)
  }

  /// Takes a few files out of an archive that may be much larger.
  private static let unpacking = """
    import sys, zipfile
    archive = zipfile.ZipFile(sys.argv[1])
    for name in sys.argv[3:]: archive.extract(name, sys.argv[2])
    """

  private func makeFolder(_ path: String, in folder: DataFolder) throws(CommandFailure) {
    do {
      try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw failure(
        "\(folder.path) cannot be written to; set \(DataFolder.variable) to a folder that can")
    }
  }

  private func place(
    _ libraries: [String], staging: String, target: String
  ) throws(CommandFailure) {
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
        throw failure("cannot install into \(target): \(error)")
      }
    }
  }

  private func failure(_ message: String) -> CommandFailure {
    CommandFailure("cannot-install", message, exit: .runtime)
  }
}
