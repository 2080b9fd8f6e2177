import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

@Suite struct PackingTests {
  private func bundle(_ others: [String: String] = [:]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("{}", to: "x.tiobundle/model.json")
    try folder.write(String(repeating: "weights ", count: 100_000), to: "x.tiobundle/model.tflite")
    for (name, text) in others { try folder.write(text, to: "x.tiobundle/" + name) }
    return folder
  }

  private func pack(_ folder: TemporaryFolder, replacing: Bool = false) throws -> String {
    let path = folder.path + "/x.zip"
    try BundleArchive.pack(
      folder: folder.path + "/x.tiobundle", named: "x.tiobundle", to: path, replacing: replacing)
    return path
  }

  @Test func `Packing and unpacking is a round trip`() throws {
    let folder = try bundle(["assets/labels.txt": "a\nb\n", "assets/é/empty": "", "🌱.txt": "🌱"])
    let archive = try BundleArchive(at: pack(folder))
    try archive.unpack(to: folder.path + "/y.tiobundle")
    let names = FolderContents.tree(of: folder.path + "/x.tiobundle")
    #expect(names == FolderContents.tree(of: folder.path + "/y.tiobundle"))
    for name in names where !["assets", "assets/é"].contains(name) {
      let (before, after) = (
        "\(folder.path)/x.tiobundle/\(name)", "\(folder.path)/y.tiobundle/\(name)"
      )
      #expect(
        try Data(contentsOf: URL(filePath: before)) == Data(contentsOf: URL(filePath: after)))
    }
  }

  /// The initializer throws when some properties have their values and others do not.
  @Test func `An archive that cannot be created releases what it had`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/missing/x.zip"
    for _ in 0..<1_000 {
      let error = #expect(throws: ArchiveError.self) { _ = try ZipWriter(creating: path) }
      #expect(error?.code == ArchiveError(.writeFailed(path, detail: "")).code)
    }
    try folder.write("taken", to: "x.zip")
    #expect(throws: ArchiveError.self) { _ = try ZipWriter(creating: folder.path + "/x.zip") }
    #expect(try String(contentsOfFile: folder.path + "/x.zip", encoding: .utf8) == "taken")
  }

  @Test func `Packing is reproducible`() throws {
    let first = try bundle(["b": "b", "a": "a", "a.b": "c"])
    let second = try bundle(["a.b": "c", "a": "a", "b": "b"])
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000), .posixPermissions: 0o600],
      ofItemAtPath: second.path + "/x.tiobundle/a")
    #expect(
      try Data(contentsOf: URL(filePath: pack(first)))
        == Data(contentsOf: URL(filePath: pack(second))))
  }

  @Test func `Packed archives are readable by other programs`() throws {
    let folder = try bundle(["é.txt": "text"])
    let path = try pack(folder)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import sys, zipfile
      zip = zipfile.ZipFile(sys.argv[1])
      assert zip.testzip() is None
      assert zip.namelist() == ["x.tiobundle/model.json", "x.tiobundle/model.tflite", "x.tiobundle/é.txt"]
      assert zip.read("x.tiobundle/é.txt") == b"text"
      """, path,
    ]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test func `Hidden files are not packed`() throws {
    let folder = try bundle([".DS_Store": "?", ".git/config": "?", "assets/.hidden": "?"])
    let archive = try ZipArchive(at: pack(folder))
    #expect(
      archive.entries.map(\.name.text) == ["x.tiobundle/model.json", "x.tiobundle/model.tflite"])
  }

  @Test(arguments: ["/etc/hostname", "model.json", "nothing", ".."])
  func `Symbolic links are rejected`(_ target: String) throws {
    let folder = try bundle()
    try folder.link("x.tiobundle/link", to: target)
    let error = #expect(throws: ArchiveError.self) { try pack(folder) }
    #expect(error?.code == "archive-special-file")
    #expect(error?.entryName == "x.tiobundle/link")
    #expect(folder.entries == ["x.tiobundle"])
  }

  @Test(arguments: [
    ("a:b", "archive-unsafe-name"), ("a\\b", "archive-unsafe-name"),
    ("a\nb", "archive-unsafe-name"), ("MODEL.json", "archive-name-collision"),
  ])
  func `Names that could not be unpacked are rejected`(_ name: String, _ code: String) throws {
    let folder = try bundle([name: ""])
    let error = #expect(throws: ArchiveError.self) { try pack(folder) }
    #expect(error?.code == code)
    #expect(folder.entries == ["x.tiobundle"])
  }

  @Test func `Nested archives are rejected`() throws {
    let folder = try bundle(["a.zip": "PK\u{3}\u{4}"])
    #expect(throws: ArchiveError(.nestedArchive, entryName: "x.tiobundle/a.zip")) {
      try pack(folder)
    }
    #expect(folder.entries == ["x.tiobundle"])
  }

  @Test func `An existing archive is overwritten only on request`() throws {
    let folder = try bundle()
    try folder.write("old", to: "x.zip")
    let error = #expect(throws: ArchiveError.self) { try pack(folder) }
    #expect(error?.code == "already-exists")
    _ = try pack(folder, replacing: true)
    #expect(try BundleArchive(at: folder.path + "/x.zip").bundleName == "x.tiobundle")
    #expect(folder.entries == ["x.tiobundle", "x.zip"])
  }

  @Test func `Leftovers of a killed process are removed`() throws {
    let folder = try bundle()
    try folder.write("half a zip", to: "x.zip.17.part/file")
    _ = try pack(folder)
    #expect(folder.entries == ["x.tiobundle", "x.zip"])
  }

  @Test func `A bundle above the expansion ratio is not packed`() throws {
    let folder = try bundle()
    let zeros = [UInt8](repeating: 0, count: ArchiveLimits.freeExpansionBytes)
    try folder.write(zeros, to: "x.tiobundle/zeros")
    let error = #expect(throws: ArchiveError.self) { try pack(folder) }
    #expect(error?.code == "archive-too-large")
    #expect(folder.entries == ["x.tiobundle"])
  }
}
