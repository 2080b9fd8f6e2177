import Foundation
import TensorIOTestSupport
import Testing

/// Runs the minisign program, if it is installed.
enum Minisign {
  /// The path of the program; tests that require it are skipped if it is not installed.
  static let path: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let path = folders.map { "\($0)/minisign" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    if path == nil { print("minisign is not installed; compatibility tests are skipped") }
    return path
  }()

  /// Runs the program in a folder and returns whether it succeeded.
  static func accepts(
    _ arguments: [String], in folder: TemporaryFolder, passwords: [String] = []
  ) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: try #require(path))
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: folder.path)
    let input = Pipe()
    process.standardInput = input
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try process.run()
    try input.fileHandleForWriting.write(
      contentsOf: Data(passwords.map { $0 + "\n" }.joined().utf8))
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}

extension TemporaryFolder {
  /// Returns the bytes of a file in the folder.
  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
  }
}
