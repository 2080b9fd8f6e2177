import TensorIOTestSupport

/// Writes zip archives with arbitrary, also invalid, fields.
///
/// Files are stored uncompressed or given as compressed bytes.
struct ZipBuilder {
  /// An entry with the fields of its two headers.
  struct Entry {
    var name: [UInt8]
    var localName: [UInt8]?
    var bytes: [UInt8] = []
    /// The bytes in the archive, if they differ from the contents.
    var packed: [UInt8]?
    var method: UInt16 = 0
    var flags: UInt16 = 0
    var mode: UInt32 = 0o100644
    var checksum: UInt32?
    var byteCount: UInt32?
    var packedCount: UInt32?
    var disk: UInt16 = 0
    var extra: [UInt8] = []
    /// The offset in the directory, if it is wrong.
    var offset: UInt32?

    init(_ name: String, _ text: String = "") {
      self.name = Array(name.utf8)
      bytes = Array(text.utf8)
    }
  }

  var entries: [Entry] = []
  var prefix: [UInt8] = []
  var comment: [UInt8] = []
  /// The number of entries in the end record, if it is wrong.
  var count: UInt16?
  var suffix: [UInt8] = []

  init(_ entries: [Entry]) { self.entries = entries }

  /// The archive.
  var bytes: [UInt8] {
    var (file, directory) = (prefix, [UInt8]())
    for entry in entries {
      let offset = UInt32(file.count)
      file +=
        littleEndian(0x0403_4B50 as UInt32)
        + commonFields(entry, name: entry.localName ?? entry.name)
      file +=
        littleEndian(0 as UInt16) + (entry.localName ?? entry.name) + (entry.packed ?? entry.bytes)
      directory += littleEndian(0x0201_4B50 as UInt32) + littleEndian(0x0314 as UInt16)
      directory += commonFields(entry, name: entry.name) + littleEndian(UInt16(entry.extra.count))
      directory += littleEndian(0 as UInt16) + littleEndian(entry.disk) + littleEndian(0 as UInt16)
      directory +=
        littleEndian(entry.mode << 16) + littleEndian(entry.offset ?? offset) + entry.name
      directory += entry.extra
    }
    let number = littleEndian(count ?? UInt16(truncatingIfNeeded: entries.count))
    let end =
      littleEndian(0x0605_4B50 as UInt32) + littleEndian(0 as UInt32) + number + number
      + littleEndian(UInt32(directory.count)) + littleEndian(UInt32(file.count))
      + littleEndian(UInt16(comment.count)) + comment
    return file + directory + end + suffix
  }

  private func commonFields(_ entry: Entry, name: [UInt8]) -> [UInt8] {
    let packed = UInt32((entry.packed ?? entry.bytes).count)
    return littleEndian(20 as UInt16) + littleEndian(entry.flags) + littleEndian(entry.method)
      + littleEndian(0 as UInt32) + littleEndian(entry.checksum ?? entry.bytes.crc32)
      + littleEndian(entry.packedCount ?? packed)
      + littleEndian(entry.byteCount ?? UInt32(entry.bytes.count))
      + littleEndian(UInt16(name.count))
  }

  private func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}

extension ZipBuilder {
  /// Returns a zip archive with a bundle and other entries.
  static func bundle(_ others: [Entry] = [], root: String = "x.tiobundle/") -> ZipBuilder {
    ZipBuilder(
      [Entry(root + "model.json", "{}"), Entry(root + "model.tflite", "weights")] + others)
  }
}
