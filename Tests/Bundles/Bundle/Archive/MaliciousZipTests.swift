import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

@Suite struct MaliciousZipTests {
  @Test(arguments: MaliciousZip.all)
  func `A malicious archive is rejected and leaves no files`(_ zip: MaliciousZip) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(zip.bytes, to: "x.zip")
    let error = #expect(throws: ArchiveError.self) {
      try BundleArchive(at: path).unpack(to: folder.path + "/out/x.tiobundle")
    }
    _ = try folder.write("", to: "out/sibling")
    let again = #expect(throws: ArchiveError.self) {
      try BundleArchive(at: path).unpack(to: folder.path + "/out/x.tiobundle")
    }
    #expect(again?.code == zip.code)
    #expect(error?.code == zip.code || error?.code == "unwritable")
    #expect(folder.entries == ["out", "x.zip"])
    #expect(FolderContents.names(in: folder.path + "/out") == ["sibling"])
  }

  @Test func `A truncated archive is rejected`() throws {
    let folder = try TemporaryFolder()
    let bytes = ZipBuilder.bundle().bytes
    for count in bytes.indices {
      let path = try folder.write(Array(bytes.prefix(count)), to: "cut.zip")
      #expect(throws: ArchiveError.self, "\(count)") {
        try BundleArchive(at: path).unpack(to: folder.path + "/x.tiobundle")
      }
    }
    #expect(folder.entries == ["cut.zip"])
  }

  @Test func `An archive with a changed byte is rejected or unpacks unchanged`() throws {
    let folder = try TemporaryFolder()
    let bytes = ZipBuilder.bundle().bytes
    for index in bytes.indices {
      for change: UInt8 in [1, 0x80, 0xFF] {
        var changed = bytes
        changed[index] ^= change
        let path = try folder.write(changed, to: "changed.zip")
        guard
          (try? BundleArchive(at: path).unpack(to: folder.path + "/out", replacing: true)) != nil
        else { continue }
        let weights = try String(contentsOfFile: folder.path + "/out/model.tflite", encoding: .utf8)
        #expect(weights == "weights", "byte \(index)")
      }
    }
  }

  @Test(arguments: ["", "/x.zip"])
  func `A path that is not a file is rejected`(_ name: String) throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: ArchiveError.self) { try BundleArchive(at: folder.path + name) }
    #expect(["unreadable-file", "not-an-archive", "archive-unreadable"].contains(error?.code))
  }

  @Test func `A file truncated while open is an error`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(ZipBuilder.bundle().bytes, to: "x.zip")
    let file = try RandomAccessFile(at: path)
    try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: 0)
    #expect(throws: ArchiveError.self) { try file.bytes(0..<file.byteCount) }
  }

  @Test func `The zip64 format is reported as unsupported`() throws {
    let folder = try TemporaryFolder()
    var zip = ZipBuilder.bundle().bytes
    let locator = Array("PK\u{6}\u{7}".utf8) + [UInt8](repeating: 0, count: 16)
    zip.insert(contentsOf: locator, at: zip.count - 22)
    let path = try folder.write(zip, to: "x.zip")
    let error = #expect(throws: ArchiveError.self) { try BundleArchive(at: path) }
    #expect(error?.code == "archive-unsupported")
  }

  @Test func `A folder listed in an archive is created`() throws {
    let folder = try TemporaryFolder()
    var entry = ZipBuilder.Entry("x.tiobundle/assets/")
    entry.mode = 0o040755
    let path = try folder.write(ZipBuilder.bundle([entry]).bytes, to: "x.zip")
    try BundleArchive(at: path).unpack(to: folder.path + "/out")
    #expect(folder.entries == ["out", "x.zip"])
    #expect(FolderContents.names(in: folder.path + "/out").contains("model.json"))
  }

  @Test func `A central directory that is too large is not read`() throws {
    let folder = try TemporaryFolder()
    let length = ArchiveLimits.maxDirectoryBytes + 1
    let number = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    let end = Array("PK\u{5}\u{6}".utf8) + [UInt8](repeating: 0, count: 8) + number
    let zip = [UInt8](repeating: 0, count: length) + end + [UInt8](repeating: 0, count: 6)
    let path = try folder.write(zip, to: "x.zip")
    let error = #expect(throws: ArchiveError.self) { try BundleArchive(at: path) }
    #expect(error?.code == "archive-too-large")
  }

  @Test func `A file larger than the caller's limit is not unpacked`() throws {
    let folder = try TemporaryFolder()
    let archive = try ZipArchive(at: folder.write(ZipBuilder.bundle().bytes, to: "x.zip"))
    let entry = try #require(archive.entries.first { $0.byteCount > 1 })
    #expect(try archive.contents(of: entry, limit: entry.byteCount).count == entry.byteCount)
    let error = #expect(throws: ArchiveError.self) {
      try archive.contents(of: entry, limit: entry.byteCount - 1)
    }
    #expect(error?.code == "archive-too-large")
  }

  @Test func `An archive above the expansion ratio is rejected before unpacking`() throws {
    let folder = try TemporaryFolder()
    // The sizes are declared correctly: 400 kB expand to more than 65 MB.
    let zeros = DeflateStream.zeros(runs: 250_000)
    var entry = ZipBuilder.Entry("x.tiobundle/zeros")
    (entry.method, entry.packed, entry.byteCount) = (8, zeros.packed, UInt32(zeros.count))
    let twice = ZipBuilder.bundle([entry, entry.named("x.tiobundle/more")])
    let path = try folder.write(twice.bytes, to: "bomb.zip")
    let error = #expect(throws: ArchiveError.self) { try BundleArchive(at: path) }
    #expect(error?.code == "archive-too-large")
  }
}
