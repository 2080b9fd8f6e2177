import TensorIOTestSupport

/// Writes zips that no packer would write.
///
/// It knows only enough to lie: every field of every record can be set, and files are stored, or
/// given as bytes that are deflated already.
struct ZipMaker {
  /// One entry, with what its two records say of it.
  struct Entry {
    var name: [UInt8]
    var localName: [UInt8]?
    var bytes: [UInt8] = []
    /// The bytes as they stand in the archive, where they are others.
    var packed: [UInt8]?
    var method: UInt16 = 0
    var flags: UInt16 = 0
    var mode: UInt32 = 0o100644
    var checksum: UInt32?
    var byteCount: UInt32?
    var packedCount: UInt32?
    var disk: UInt16 = 0
    var extra: [UInt8] = []
    /// Where the directory says that it begins, where that is not true.
    var offset: UInt32?

    init(_ name: String, _ text: String = "") {
      self.name = Array(name.utf8)
      bytes = Array(text.utf8)
    }
  }

  var entries: [Entry] = []
  var prefix: [UInt8] = []
  var comment: [UInt8] = []
  /// How many entries the end claims, where that is not true.
  var count: UInt16?
  var suffix: [UInt8] = []

  init(_ entries: [Entry]) { self.entries = entries }

  /// The archive.
  var bytes: [UInt8] {
    var (file, directory) = (prefix, [UInt8]())
    for entry in entries {
      let offset = UInt32(file.count)
      file += little(0x0403_4B50 as UInt32) + shared(entry, name: entry.localName ?? entry.name)
      file += little(0 as UInt16) + (entry.localName ?? entry.name) + (entry.packed ?? entry.bytes)
      directory += little(0x0201_4B50 as UInt32) + little(0x0314 as UInt16)
      directory += shared(entry, name: entry.name) + little(UInt16(entry.extra.count))
      directory += little(0 as UInt16) + little(entry.disk) + little(0 as UInt16)
      directory += little(entry.mode << 16) + little(entry.offset ?? offset) + entry.name
      directory += entry.extra
    }
    let number = little(count ?? UInt16(truncatingIfNeeded: entries.count))
    let end =
      little(0x0605_4B50 as UInt32) + little(0 as UInt32) + number + number
      + little(UInt32(directory.count)) + little(UInt32(file.count))
      + little(UInt16(comment.count)) + comment
    return file + directory + end + suffix
  }

  private func shared(_ entry: Entry, name: [UInt8]) -> [UInt8] {
    let packed = UInt32((entry.packed ?? entry.bytes).count)
    return little(20 as UInt16) + little(entry.flags) + little(entry.method)
      + little(0 as UInt32) + little(entry.checksum ?? entry.bytes.crc32)
      + little(entry.packedCount ?? packed) + little(entry.byteCount ?? UInt32(entry.bytes.count))
      + little(UInt16(name.count))
  }

  private func little(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}

extension ZipMaker {
  /// A zip with a bundle, and more.
  static func bundle(_ others: [Entry] = [], root: String = "x.tiobundle/") -> ZipMaker {
    ZipMaker([Entry(root + "model.json", "{}"), Entry(root + "model.tflite", "weights")] + others)
  }
}
