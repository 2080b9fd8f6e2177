import Foundation
import TensorIOTestSupport
import Testing

/// The program whose files these are, where it is installed.
enum Minisign {
  /// Where it is; tests that need it are left out where it is not, and say so.
  static let path: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let path = folders.map { "\($0)/minisign" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    if path == nil { print("minisign is not there: nothing is compared with it") }
    return path
  }()

  /// Runs it in a folder; false when it refuses.
  static func accepts(
    _ words: [String], in folder: TemporaryFolder, passwords: [String] = []
  ) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: try #require(path))
    process.arguments = words
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
  /// The bytes of a file in it.
  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
  }
}
