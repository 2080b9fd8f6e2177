import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

/// Files that are written atomically.
@Suite struct AtomicFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/settings.json" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func permissions() throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test(arguments: [true, false])
  func `A file that replaces another keeps its permissions`(_ isDurable: Bool) throws {
    for mode in [0o600, 0o640, 0o755] {
      try AtomicFile.write([1], to: path)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      try AtomicFile.write([2], to: path, isDurable: isDurable)
      #expect(try permissions() == mode)
      #expect(try Data(contentsOf: URL(filePath: path)) == Data([2]))
    }
    try AtomicFile.write([3], to: path, isPrivate: true, isDurable: isDurable)
    #expect(try permissions() == 0o600)
    #expect(folder.entries == ["settings.json"])
  }

  @Test func `Files left by a killed process are removed by the next one`() throws {
    // A killed process holds no lock on its staging folder.
    try folder.write("half", to: "settings.json.4711.part/file")
    try AtomicFile.write([1], to: path)
    #expect(folder.entries == ["settings.json"])
  }

  @Test(arguments: [true, false])
  func `A folder is not replaced by a file`(_ isDurable: Bool) throws {
    try folder.write("x", to: "settings.json/inside")
    #expect(throws: FileError.system(EISDIR)) {
      try AtomicFile.write([1], to: path, isDurable: isDurable)
    }
    #expect(folder.entries == ["settings.json"])
  }
}
