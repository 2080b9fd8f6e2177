import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

@Suite struct BundleArchiveTests {
  private func unpack(_ zip: ZipBuilder, named name: String = "a.zip") throws -> (String, [String])
  {
    let folder = try TemporaryFolder()
    let archive = try BundleArchive(at: try folder.write(zip.bytes, to: name))
    try archive.unpack(to: folder.path + "/out")
    return (archive.bundleName, FolderContents.tree(of: folder.path + "/out"))
  }

  @Test func `A bundle is found at any depth`() throws {
    let files = ["model.json", "model.tflite"]
    #expect(try unpack(.bundle()) == ("x.tiobundle", files))
    #expect(try unpack(.bundle(root: "a/b/x.tfbundle/")) == ("x.tfbundle", files))
    #expect(try unpack(.bundle(root: "X.TIOBUNDLE/")) == ("X.TIOBUNDLE", files))
  }

  @Test func `A bundle at the top level is named after the archive`() throws {
    let files = ["model.json", "model.tflite"]
    #expect(try unpack(.bundle(root: "")) == ("a.tiobundle", files))
    #expect(try unpack(.bundle(root: ""), named: "b.tiobundle.zip") == ("b.tiobundle", files))
    #expect(try unpack(.bundle(root: ""), named: "b.tfbundle") == ("b.tfbundle", files))
  }

  @Test func `Files outside the bundle are ignored`() throws {
    let zip = ZipBuilder.bundle([
      .init("__MACOSX/x.tiobundle/._model.json", "?"), .init("README", "?"),
      .init("x.tiobundle/assets/a/b.txt", "b"), .init("x.tiobundles/other", "?"),
    ])
    #expect(
      try unpack(zip).1 == ["assets", "assets/a", "assets/a/b.txt", "model.json", "model.tflite"])
  }

  @Test func `Compressed files of all sizes are decompressed`() throws {
    for runs in [0, 1, 508, 10_000] {
      let zeros = DeflateStream.zeros(runs: runs)
      let folder = try TemporaryFolder()
      var entry = ZipBuilder.Entry("x.tiobundle/zeros")
      entry.bytes = [UInt8](repeating: 0, count: zeros.count)
      (entry.packed, entry.method) = (zeros.packed, 8)
      let path = try folder.write(ZipBuilder.bundle([entry]).bytes, to: "a.zip")
      try BundleArchive(at: path).unpack(to: folder.path + "/out")
      #expect(try Data(contentsOf: URL(filePath: folder.path + "/out/zeros")) == Data(entry.bytes))
    }
  }

  @Test func `Comments and unknown extra fields are ignored`() throws {
    var zip = ZipBuilder.bundle()
    zip.comment = Array("made by hand, PK\u{5}\u{6} and all".utf8)
    zip.entries[0].extra = [0xFE, 0xCA, 0, 0]
    #expect(try unpack(zip).0 == "x.tiobundle")
  }

  @Test func `An existing folder is replaced only on request`() throws {
    let folder = try TemporaryFolder()
    let archive = try BundleArchive(at: folder.write(ZipBuilder.bundle().bytes, to: "a.zip"))
    try folder.write("old", to: "out/old.txt")
    let error = #expect(throws: ArchiveError.self) { try archive.unpack(to: folder.path + "/out") }
    #expect(error?.code == "already-exists")
    #expect(FolderContents.tree(of: folder.path + "/out") == ["old.txt"])
    try archive.unpack(to: folder.path + "/out/", replacing: true)
    #expect(FolderContents.tree(of: folder.path + "/out") == ["model.json", "model.tflite"])
    #expect(folder.entries == ["a.zip", "out"])
  }

  @Test func `An archive with a prefix is read if allowed`() throws {
    let folder = try TemporaryFolder()
    for isCounted in [true, false] {
      var zip = ZipBuilder([.init("labels.txt", "a\nb")])
      let model = [UInt8](repeating: 7, count: 1000)
      zip.prefix = isCounted ? model : []
      let bytes = isCounted ? zip.bytes : model + zip.bytes
      let archive = try ZipArchive(at: folder.write(bytes, to: "model"), prefix: .allowPrefix)
      let labels = try archive.contents(of: #require(archive.entries.first), limit: 3)
      #expect(String(decoding: labels, as: UTF8.self) == "a\nb")
      let error = #expect(throws: ArchiveError.self) {
        try archive.contents(of: archive.entries[0], limit: 2)
      }
      #expect(error?.code == "archive-too-large")
    }
  }
}
