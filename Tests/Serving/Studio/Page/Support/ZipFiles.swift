import Foundation

/// Unpacks archives with Python, which checks them.
enum ZipFiles {
  static func unpack(_ path: String, into folder: String) throws -> [String] {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1]) as archive:
          assert archive.testzip() is None
          archive.extractall(sys.argv[2])
          print("\\n".join(sorted(archive.namelist())))
      """, path, folder,
    ]
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
