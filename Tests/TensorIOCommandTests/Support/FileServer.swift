import Foundation
import TensorIOTestSupport
import Testing

/// A server on the loopback, which misbehaves on request and ends with the value.
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
    // What a thread of Dispatch starts has the politer signals blocked.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The address of a file that is served in a way.
  func address(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }
}

/// Zips that no tool of ours would make.
enum StrangeZip {
  private static let script = """
    import sys, zipfile
    with zipfile.ZipFile(sys.argv[1], "w") as archive:
        for pair in sys.argv[2:]:
            name, path = pair.split("=", 1)
            archive.write(path, name)
    """

  /// Writes files under names of one's own, all of which are `name=path`.
  static func write(_ path: String, _ files: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script, path] + files
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
