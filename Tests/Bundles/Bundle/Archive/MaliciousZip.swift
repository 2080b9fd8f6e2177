import TensorIOTestSupport

/// An archive that must be rejected, with the expected error code.
struct MaliciousZip: Sendable, CustomStringConvertible {
  let description: String
  let code: String
  let bytes: [UInt8]

  private init(_ description: String, _ code: String, _ zip: ZipBuilder) {
    self.description = description
    self.code = code
    bytes = zip.bytes
  }

  private init(_ description: String, _ code: String, entry: ZipBuilder.Entry) {
    self.init(description, code, .bundle([entry]))
  }

  static let all = names + collisions + types + sizes + structure + contents

  // MARK: Names

  private static let names =
    [
      ("leads upwards", "x.tiobundle/../../evil"), ("begins upwards", "../evil"),
      ("ends upwards", "x.tiobundle/.."), ("is absolute", "/tmp/evil"),
      ("has a backslash", "x.tiobundle\\..\\evil"), ("names a drive", "C:evil"),
      ("has a NUL", "x.tiobundle/a\0.txt"), ("has a line feed", "x.tiobundle/a\n.txt"),
      ("has an empty component", "x.tiobundle//a"), ("has a dot as a component", "x.tiobundle/./a"),
      ("is empty", ""), ("is a slash", "/"),
      ("is very long", "x.tiobundle/" + String(repeating: "a/", count: 600)),
      ("has a long component", "x.tiobundle/" + String(repeating: "a", count: 256)),
      ("is very deep", "x.tiobundle" + String(repeating: "/a", count: 16)),
    ].map { MaliciousZip("A name that \($0)", "archive-unsafe-name", entry: .init($1, "evil")) } + [
      MaliciousZip("A name that is not UTF-8", "archive-unsafe-name", entry: notUTF8)
    ]

  private static let notUTF8 = {
    var entry = ZipBuilder.Entry("x.tiobundle/?", "evil")
    entry.name[entry.name.count - 1] = 0xFF
    return entry
  }()

  private static let collisions =
    [
      ("the same name", "x.tiobundle/model.json"), ("another case", "x.tiobundle/MODEL.json"),
      ("a folder of another case", "X.tiobundle/other.json"),
      ("a file as a folder", "x.tiobundle/model.json/other"),
      ("a folder as a file", "x.tiobundle"),
    ].map { MaliciousZip("Two names: \($0)", "archive-name-collision", entry: .init($1, "evil")) }
    + [
      MaliciousZip(
        "Two names: composed and decomposed", "archive-name-collision",
        .bundle([.init("x.tiobundle/\u{E9}.txt"), .init("x.tiobundle/e\u{301}.txt")])),
      MaliciousZip(
        "Two names: a sharp s and two", "archive-name-collision",
        .bundle([.init("x.tiobundle/ma\u{DF}"), .init("x.tiobundle/MASS")])),
      MaliciousZip(
        "Two names: a folder listed twice", "archive-name-collision",
        .bundle([folder("x.tiobundle/a/"), folder("x.tiobundle/a/")])),
    ]

  private static func folder(_ name: String) -> ZipBuilder.Entry {
    var entry = ZipBuilder.Entry(name)
    entry.mode = 0o040755
    return entry
  }

  // MARK: Types

  private static let types =
    [
      ("a symbolic link", 0o120777), ("a device", 0o060644), ("a terminal", 0o020644),
      ("a pipe", 0o010644),
      ("a socket", 0o140644),
    ].map { name, mode in
      changed("An entry that is \(name)", "archive-special-file") { $0.mode = mode }
    } + [
      changed("An entry that is a folder by type alone", "archive-corrupt") { $0.mode = 0o040755 },
      changed("An encrypted entry", "archive-encrypted") { $0.flags = 1 },
      changed("A strongly encrypted entry", "archive-encrypted") { $0.flags = 0x41 },
      changed("An unsupported compression method", "archive-unsupported") { $0.method = 14 },
      changed("An entry on another disk", "archive-unsupported") { $0.disk = 1 },
    ]

  private static func changed(
    _ description: String, _ code: String, _ change: (inout ZipBuilder.Entry) -> Void
  ) -> MaliciousZip {
    var entry = ZipBuilder.Entry("x.tiobundle/evil", "0123456789")
    change(&entry)
    return MaliciousZip(description, code, entry: entry)
  }

  // MARK: Sizes

  private static let zeros = {
    let (packed, count) = DeflateStream.zeros(runs: 10)
    return (packed: packed, count: count, checksum: [UInt8](repeating: 0, count: count).crc32)
  }()

  private static let sizes = [
    changed("A stored file with a larger declared size", "archive-size-mismatch") {
      $0.byteCount = 11
    },
    changed("A stored file with a smaller declared size", "archive-size-mismatch") {
      $0.byteCount = 9
    },
    changed("A compressed size beyond the next entry", "archive-overlapping-entries") {
      ($0.packedCount, $0.byteCount) = (1000, 1000)
    },
    changed("A zip64 size marker", "archive-too-large") { $0.byteCount = .max },
    changed("A size above the expansion ratio", "archive-too-large") {
      ($0.method, $0.byteCount) = (8, 0x7FFF_FFFF)
    },
    changed("A deflated file longer than its declared size", "archive-size-mismatch") {
      ($0.method, $0.packed, $0.byteCount) = (8, zeros.packed, 100)
    },
    changed("A deflated file shorter than its declared size", "archive-size-mismatch") {
      ($0.method, $0.packed, $0.byteCount) = (8, zeros.packed, UInt32(zeros.count + 1))
    },
    changed("A deflated file declared as empty", "archive-size-mismatch") {
      ($0.method, $0.packed, $0.byteCount) = (8, zeros.packed, 0)
    },
    MaliciousZip("A folder with contents", "archive-corrupt", entry: fullFolder),
    MaliciousZip(
      "Too many entries", "archive-too-many-entries",
      .bundle((0..<4096).map { .init("x.tiobundle/\($0)") })),
    MaliciousZip(
      "A wrong count of entries", "archive-corrupt",
      {
        var zip = ZipBuilder.bundle()
        zip.count = 1
        return zip
      }()),
  ]

  private static let fullFolder = {
    var entry = folder("x.tiobundle/evil/")
    entry.bytes = Array("evil".utf8)
    return entry
  }()

  // MARK: Structure

  private static let structure = [
    changed("Overlapping entries", "archive-overlapping-entries") { $0.offset = 40 },
    changed("Two entries with the same data", "archive-overlapping-entries") { $0.offset = 0 },
    changed("An entry after the directory", "archive-corrupt") { $0.offset = 0x7FFF_FFFF },
    changed("Another name in the local header", "archive-corrupt") {
      $0.localName = Array("x.tiobundle/good".utf8)
    },
    MaliciousZip(
      "An entry inside another entry's data", "archive-overlapping-entries",
      {
        var zip = ZipBuilder.bundle()
        let inner = ZipBuilder([.init("x.tiobundle/b", "evil")]).bytes.prefix(30 + 13 + 4)
        zip.entries.append(.init("x.tiobundle/a"))
        zip.entries[2].bytes = Array(inner)
        var second = ZipBuilder.Entry("x.tiobundle/b", "evil")
        let start = zip.bytes.count - zip.directoryCount - 22 - inner.count
        second.offset = UInt32(start)
        second.packed = []
        second.packedCount = 4
        zip.entries.append(second)
        return zip
      }()),
    MaliciousZip(
      "Data before the first entry", "archive-corrupt",
      {
        var zip = ZipBuilder.bundle()
        zip.prefix = Array("#!/bin/sh\n".utf8)
        return zip
      }()),
    MaliciousZip(
      "Data after the end", "archive-corrupt",
      {
        var zip = ZipBuilder.bundle()
        zip.suffix = [0]
        return zip
      }()),
  ]

  // MARK: Contents

  private static let contents = [
    changed("A wrong checksum", "archive-checksum-mismatch") {
      $0.checksum = 1
    },
    changed("A wrong checksum of a deflated file", "archive-checksum-mismatch") {
      ($0.method, $0.packed, $0.byteCount) = (8, zeros.packed, UInt32(zeros.count))
      $0.checksum = 1
    },
    changed("Invalid compressed data", "archive-corrupt") {
      ($0.method, $0.packed) = (8, [0xFF, 0xFF, 0xFF, 0xFF])
    },
    changed("Truncated compressed data", "archive-corrupt") {
      ($0.method, $0.packed) = (8, zeros.packed.dropLast())
      ($0.byteCount, $0.checksum) = (UInt32(zeros.count), zeros.checksum)
    },
    changed("Data after the end of the compressed data", "archive-corrupt") {
      ($0.method, $0.packed) = (8, zeros.packed + [0])
      ($0.byteCount, $0.checksum) = (UInt32(zeros.count), zeros.checksum)
    },
    changed("A second compressed stream in an entry", "archive-corrupt") {
      ($0.method, $0.packed) = (8, zeros.packed + zeros.packed)
      ($0.byteCount, $0.checksum) = (UInt32(zeros.count), zeros.checksum)
    },
    MaliciousZip(
      "A nested archive", "archive-nested-archive",
      entry: .init("x.tiobundle/evil.zip", String(decoding: ZipBuilder([]).nested, as: UTF8.self))),
    MaliciousZip("No bundle", "archive-no-bundle", ZipBuilder([.init("a.txt", "a")])),
    MaliciousZip("An empty archive", "archive-no-bundle", ZipBuilder([])),
    MaliciousZip(
      "A description in a folder without bundle extension", "archive-no-bundle",
      ZipBuilder([.init("x/model.json", "{}")])),
    MaliciousZip(
      "Two bundles", "archive-multiple-bundles", .bundle([.init("y.tiobundle/model.json", "{}")])),
    MaliciousZip(
      "A bundle in a bundle", "archive-multiple-bundles",
      .bundle([.init("x.tiobundle/y.tiobundle/model.json", "{}")])),
  ]
}

extension ZipBuilder {
  fileprivate var nested: [UInt8] { Array("PK\u{3}\u{4} and more".utf8) }

  fileprivate var directoryCount: Int {
    entries.reduce(0) { $0 + 46 + $1.name.count + $1.extra.count }
  }
}
