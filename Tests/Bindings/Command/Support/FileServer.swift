import Foundation
import TensorIOTestSupport
import Testing

/// A file server on the loopback interface that can misbehave, and stops with its owner.
final class FileServer {
  private let process = Process()
  private let port: String

  init(_ folder: TemporaryFolder) throws {
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", ProjectFiles.path("Tests/Fixtures/Server/server.py"), folder.path,
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    port = try #require(line.split(separator: "\n").first.map(String.init))
  }

  deinit {
    // Processes started by a Dispatch thread have SIGTERM blocked.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Returns the URL of a file; the first path component selects how it is served.
  func address(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }
}

/// Creates zip files that `tensorio pack` would not create.
enum ForeignZip {
  private static let script = """
    import sys, zipfile
    with zipfile.ZipFile(sys.argv[1], "w") as archive:
        for pair in sys.argv[2:]:
            name, path = pair.split("=", 1)
            archive.write(path, name)
    """
  /// Writes local headers with zip64 sizes, as NumPy does.
  private static let zip64Script = """
    import sys, zipfile
    with zipfile.ZipFile(sys.argv[1], "w") as archive:
        for pair in sys.argv[2:]:
            name, path = pair.split("=", 1)
            with archive.open(name, "w", force_zip64=True) as entry:
                entry.write(open(path, "rb").read())
    """

  /// Writes a zip file with entries given as `name=path`.
  static func write(_ path: String, _ files: [String], isZip64: Bool = false) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", isZip64 ? zip64Script : script, path] + files
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
