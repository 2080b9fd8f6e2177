import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

@Suite struct FileBytesTests {
  @Test(arguments: [0, 1, 65_536, 1_000_003])
  func `A file is read completely`(size: Int) throws {
    let folder = try TemporaryFolder()
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let path = try folder.write(bytes, to: "file")
    #expect(try FileBytes.read(path, limit: size) == bytes)
  }

  @Test func `A file larger than the limit is not read`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("abcd", to: "file")
    let error = #expect(throws: ModelError.self) {
      try FileBytes.read(path, named: "it", limit: 3, stage: .input)
    }
    #expect(error == ModelError(.input, .oversizedFile("it", bytes: 4, limit: 3)))
  }

  @Test func `Missing files and special files are rejected`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "file")
    func reason(_ path: String) -> ModelError.Reason? {
      #expect(throws: ModelError.self) { try FileBytes.read(path, named: "it", limit: 9) }?.reason
    }
    #expect(reason(folder.path + "/none") == .missingFile("it"))
    #expect(reason(path + "/none") == .missingFile("it"))
    #expect(reason(folder.path) == .unreadableFile("it", detail: "not a regular file"))
    #expect(reason("/dev/null") == .unreadableFile("it", detail: "not a regular file"))
    #expect(reason(path + "\0.txt") == .unsafeName("it"))
  }
}
