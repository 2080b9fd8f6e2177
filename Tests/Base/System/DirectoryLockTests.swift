import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

/// Locks on directories and files.
@Suite struct DirectoryLockTests {
  /// Returns a copy of the descriptor of an open file, as a child process has one before it starts its program.
  private static func copyOfDescriptor(of path: String) -> CInt? {
    var (file, other) = (stat(), stat())
    guard unsafe stat(path, &file) == 0 else { return nil }
    let open = (0..<4096).first {
      unsafe fstat($0, &other) == 0 && (other.st_dev, other.st_ino) == (file.st_dev, file.st_ino)
    }
    return open.map { dup($0) }
  }

  @Test func `A released lock is free although a child process has not started its program`() throws
  {
    let folder = try TemporaryFolder()
    var copies: [CInt?] = []
    do {
      var file = try AppendableFile(folder.path + "/file")
      try file.append([1])
      let lock = try DirectoryLock.acquire(folder.path)
      copies = [folder.path + "/file", folder.path].map(Self.copyOfDescriptor)
      withExtendedLifetime(lock) {}
    }
    #expect(copies.allSatisfy { $0 != nil })
    #expect(try AppendableFile(folder.path + "/file").byteCount == 1)
    #expect(DirectoryLock(folder.path) != nil)
    for case let copy? in copies { close(copy) }
  }

  @Test func `A directory is locked by the name of a link to it`() throws {
    let folder = try TemporaryFolder()
    try folder.write([], to: "real/file")
    let link = folder.path + "/link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: folder.path + "/real")
    let lock = try DirectoryLock.acquire(link)
    #expect(withExtendedLifetime(lock) { DirectoryLock(folder.path + "/real") } == nil)
  }

  @Test func `A directory that cannot be locked is an error`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write([], to: "file")
    #expect(throws: FileError.notFound) { try DirectoryLock.acquire(folder.path + "/missing") }
    #expect(throws: FileError.self) { try DirectoryLock.acquire(file) }
  }
}
