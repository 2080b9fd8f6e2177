import TensorIOTestSupport

/// A zip that must be refused, and the code with which it is.
struct HostileZip: Sendable, CustomStringConvertible {
  let description: String
  let code: String
  let bytes: [UInt8]

  private init(_ description: String, _ code: String, _ zip: ZipMaker) {
    self.description = description
    self.code = code
    bytes = zip.bytes
  }

  private init(_ description: String, _ code: String, entry: ZipMaker.Entry) {
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
      ("has an empty part", "x.tiobundle//a"), ("has a dot as a part", "x.tiobundle/./a"),
      ("is empty", ""), ("is a slash", "/"),
      ("is very long", "x.tiobundle/" + String(repeating: "a/", count: 600)),
      ("has a long part", "x.tiobundle/" + String(repeating: "a", count: 256)),
      ("is very deep", "x.tiobundle" + String(repeating: "/a", count: 16)),
    ].map { HostileZip("A name that \($0)", "archive-unsafe-name", entry: .init($1, "evil")) } + [
      HostileZip("A name that is no text", "archive-unsafe-name", entry: notUTF8)
    ]

  private static let notUTF8 = {
    var entry = ZipMaker.Entry("x.tiobundle/?", "evil")
    entry.name[entry.name.count - 1] = 0xFF
    return entry
  }()

  private static let collisions =
    [
      ("the same name", "x.tiobundle/model.json"), ("another case", "x.tiobundle/MODEL.json"),
      ("a folder of another case", "X.tiobundle/other.json"),
      ("a file as a folder", "x.tiobundle/model.json/other"),
      ("a folder as a file", "x.tiobundle"),
    ].map { HostileZip("Two names: \($0)", "archive-colliding-names", entry: .init($1, "evil")) }
    + [
      HostileZip(
        "Two names: composed and decomposed", "archive-colliding-names",
        .bundle([.init("x.tiobundle/\u{E9}.txt"), .init("x.tiobundle/e\u{301}.txt")])),
      HostileZip(
        "Two names: a sharp s and two", "archive-colliding-names",
        .bundle([.init("x.tiobundle/ma\u{DF}"), .init("x.tiobundle/MASS")])),
      HostileZip(
        "Two names: a folder listed twice", "archive-colliding-names",
        .bundle([folder("x.tiobundle/a/"), folder("x.tiobundle/a/")])),
    ]

  private static func folder(_ name: String) -> ZipMaker.Entry {
    var entry = ZipMaker.Entry(name)
    entry.mode = 0o040755
    return entry
  }

  // MARK: Types

  private static let types =
    [
      ("a link", 0o120777), ("a device", 0o060644), ("a terminal", 0o020644), ("a pipe", 0o010644),
      ("a socket", 0o140644),
    ].map { name, mode in
      changed("An entry that is \(name)", "archive-link") { $0.mode = mode }
    } + [
      changed("An entry that is a folder by type alone", "archive-damaged") { $0.mode = 0o040755 },
      changed("An encrypted entry", "archive-encrypted") { $0.flags = 1 },
      changed("A strongly encrypted entry", "archive-encrypted") { $0.flags = 0x41 },
      changed("A method of compression that is rare", "archive-unsupported") { $0.method = 14 },
      changed("An entry on another disk", "archive-unsupported") { $0.disk = 1 },
    ]

  private static func changed(
    _ description: String, _ code: String, _ change: (inout ZipMaker.Entry) -> Void
  ) -> HostileZip {
    var entry = ZipMaker.Entry("x.tiobundle/evil", "0123456789")
    change(&entry)
    return HostileZip(description, code, entry: entry)
  }

  // MARK: Sizes

  private static let zeros = DeflateStream.zeros(runs: 10)

  private static let sizes = [
    changed("A stored file that claims to be longer", "archive-wrong-size") { $0.byteCount = 11 },
    changed("A stored file that claims to be shorter", "archive-wrong-size") { $0.byteCount = 9 },
    changed("A packed size beyond the next entry", "archive-overlap") {
      ($0.packedCount, $0.byteCount) = (1000, 1000)
    },
    changed("A size that stands for a larger one", "archive-too-large") { $0.byteCount = .max },
    changed("A size that no archive of this size can have", "archive-too-large") {
      ($0.method, $0.byteCount) = (8, 0x7FFF_FFFF)
    },
    changed("A deflated file that is longer than it claims", "archive-wrong-size") {
      ($0.method, $0.packed, $0.byteCount) = (8, zeros.packed, 100)
    },
    changed("A deflated file that is shorter than it claims", "archive-wrong-size") {
      ($0.method, $0.packed, $0.byteCount) = (8, zeros.packed, UInt32(zeros.count + 1))
    },
    changed("A deflated file that claims to be empty", "archive-wrong-size") {
      ($0.method, $0.packed, $0.byteCount) = (8, zeros.packed, 0)
    },
    HostileZip("A folder with bytes", "archive-damaged", entry: fullFolder),
    HostileZip(
      "More entries than a bundle has", "archive-too-many-entries",
      .bundle((0..<4096).map { .init("x.tiobundle/\($0)") })),
    HostileZip(
      "A count of entries that is not true", "archive-damaged",
      {
        var zip = ZipMaker.bundle()
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
    changed("An entry over another", "archive-overlap") { $0.offset = 40 },
    changed("An entry that is another's", "archive-overlap") { $0.offset = 0 },
    changed("An entry behind the directory", "archive-damaged") { $0.offset = 0x7FFF_FFFF },
    changed("Another name in its own record", "archive-damaged") {
      $0.localName = Array("x.tiobundle/good".utf8)
    },
    HostileZip(
      "A file that shares all its bytes", "archive-overlap",
      {
        var zip = ZipMaker.bundle()
        let inner = ZipMaker([.init("x.tiobundle/b", "evil")]).bytes.prefix(30 + 13 + 4)
        zip.entries.append(.init("x.tiobundle/a"))
        zip.entries[2].bytes = Array(inner)
        var second = ZipMaker.Entry("x.tiobundle/b", "evil")
        let start = zip.bytes.count - zip.directoryCount - 22 - inner.count
        second.offset = UInt32(start)
        second.packed = []
        second.packedCount = 4
        zip.entries.append(second)
        return zip
      }()),
    HostileZip(
      "Something before the first entry", "archive-damaged",
      {
        var zip = ZipMaker.bundle()
        zip.prefix = Array("#!/bin/sh\n".utf8)
        return zip
      }()),
    HostileZip(
      "Something behind the end", "archive-damaged",
      {
        var zip = ZipMaker.bundle()
        zip.suffix = [0]
        return zip
      }()),
  ]

  // MARK: Contents

  private static let contents = [
    changed("Bytes that are not those that were packed", "archive-wrong-checksum") {
      $0.checksum = 1
    },
    changed("Deflated bytes that are not those that were packed", "archive-wrong-checksum") {
      ($0.method, $0.packed, $0.byteCount) = (8, zeros.packed, UInt32(zeros.count))
      $0.checksum = 1
    },
    changed("Bytes that are not deflated", "archive-damaged") {
      ($0.method, $0.packed) = (8, [0xFF, 0xFF, 0xFF, 0xFF])
    },
    HostileZip(
      "An archive in the archive", "archive-nested",
      entry: .init("x.tiobundle/evil.zip", String(decoding: ZipMaker([]).nested, as: UTF8.self))),
    HostileZip("No bundle", "archive-no-bundle", ZipMaker([.init("a.txt", "a")])),
    HostileZip("Nothing at all", "archive-no-bundle", ZipMaker([])),
    HostileZip(
      "A description in a folder of another name", "archive-no-bundle",
      ZipMaker([.init("x/model.json", "{}")])),
    HostileZip(
      "Two bundles", "archive-several-bundles", .bundle([.init("y.tiobundle/model.json", "{}")])),
    HostileZip(
      "A bundle in a bundle", "archive-several-bundles",
      .bundle([.init("x.tiobundle/y.tiobundle/model.json", "{}")])),
  ]
}

extension ZipMaker {
  fileprivate var nested: [UInt8] { Array("PK\u{3}\u{4} and more".utf8) }

  fileprivate var directoryCount: Int {
    entries.reduce(0) { $0 + 46 + $1.name.count + $1.extra.count }
  }
}
