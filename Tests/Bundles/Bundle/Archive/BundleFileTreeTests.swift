import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

@Suite struct BundleFileTreeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["model.json", "assets/b", "assets/a", ".hidden", "assets/.git/config"] {
      try folder.write(name, to: "x/\(name)")
    }
  }

  private var path: String { folder.path + "/x" }

  @Test func `Files are sorted and hidden ones are omitted`() throws {
    let tree = try BundleFileTree(of: path)
    #expect(tree.files.map(\.path) == ["assets/a", "assets/b", "model.json"])
    #expect(tree.files.map(\.byteCount) == [8, 8, 10])
    #expect(tree.folders == ["assets"])
    let all = try BundleFileTree(of: path, hiddenNames: .included, excluding: ["model.json"])
    #expect(all.files.map(\.path) == [".hidden", "assets/.git/config", "assets/a", "assets/b"])
    #expect(all.folders == ["assets", "assets/.git"])
  }

  @Test(arguments: [".", "..", "/etc/passwd", "model.json", "missing"])
  func `Symbolic links are rejected, whatever they point to`(target: String) throws {
    try folder.link("x/assets/link", to: target)
    #expect(throws: ArchiveError(.specialFile, entryName: "assets/link")) {
      try BundleFileTree(of: path)
    }
  }

  @Test func `The folder itself may be a symbolic link`() throws {
    try folder.link("link", to: "x")
    #expect(try BundleFileTree(of: folder.path + "/link").files.count == 3)
  }

  @Test func `The size of all files together is limited`() throws {
    #expect(try BundleFileTree(of: path, maxBytes: 26).files.count == 3)
    #expect(throws: ArchiveError(.tooLarge(bytes: 26, limit: 25))) {
      try BundleFileTree(of: path, maxBytes: 25)
    }
    // A sparse file has a size without taking space.
    let file = try folder.write("", to: "x/large")
    try FileHandle(forWritingAtPath: file)?.truncate(
      atOffset: UInt64(ArchiveLimits.maxExpandedBytes))
    let error = #expect(throws: ArchiveError.self) { try BundleFileTree(of: path) }
    #expect(error?.code == "archive-too-large")
  }

  @Test func `The number of folders is limited`() throws {
    for number in 1..<ArchiveLimits.maxEntries {
      try FileSystem.createDirectory("\(path)/\(number)")
    }
    #expect(try BundleFileTree(of: path).folders.count == ArchiveLimits.maxEntries)
    try FileSystem.createDirectory("\(path)/one more")
    let error = #expect(throws: ArchiveError.self) { try BundleFileTree(of: path) }
    #expect(error?.code == "archive-too-many-entries")
  }

  @Test func `A copy is complete`() throws {
    try BundleFileTree(of: path).copy(to: folder.path + "/copy")
    #expect(
      FolderContents.tree(of: folder.path + "/copy")
        == ["assets", "assets/a", "assets/b", "model.json"])
    #expect(
      try String(contentsOfFile: folder.path + "/copy/assets/a", encoding: .utf8) == "assets/a")
  }

  @Test func `A file that has changed since it was listed is not copied`() throws {
    let tree = try BundleFileTree(of: path)
    try folder.write("longer than before", to: "x/assets/a")
    #expect(throws: FileError.oversized(bytes: 18, limit: 8)) {
      try tree.copy(to: folder.path + "/longer")
    }
    try folder.write("short", to: "x/assets/a")
    #expect(throws: FileError.truncated) { try tree.copy(to: folder.path + "/shorter") }
    FileSystem.remove(path + "/assets/a")
    try folder.link("x/assets/a", to: "/etc/passwd")
    #expect(throws: FileError.system(ELOOP)) { try tree.copy(to: folder.path + "/link") }
  }
}
