import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

/// Locks on directories.
@Suite struct DirectoryLockTests {
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
