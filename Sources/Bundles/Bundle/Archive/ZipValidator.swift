/// Validates an archive before any entry is unpacked.
struct ZipValidator {
  private let directory: ZipCentralDirectory
  private let file: RandomAccessFile

  private static let localHeaderBytes = 30

  init(_ directory: ZipCentralDirectory, _ file: RandomAccessFile) throws(ArchiveError) {
    self.directory = directory
    self.file = file
  }

  /// Validates all entries and returns the range of each entry's compressed bytes.
  func contentRanges(
    prefix: ZipArchive.PrefixPolicy
  ) throws(ArchiveError) -> [String: Range<Int>] {
    try checkNames()
    try checkSizes()
    return try contentRanges(allowsPrefix: prefix == .allowPrefix)
  }

  private func checkNames() throws(ArchiveError) {
    var names = EntryNameSet()
    for entry in directory.entries { try names.add(entry.name, isFolder: entry.isFolder) }
  }

  private func checkSizes() throws(ArchiveError) {
    let limit = ArchiveLimits.maxExpandedBytes(archiveBytes: file.byteCount)
    // The sum cannot overflow: the number of entries is limited, and each size fits 32 bits.
    let sum = directory.entries.reduce(0) { $0 + $1.byteCount }
    guard sum <= limit else { throw ArchiveError(.tooLarge(bytes: sum, limit: limit)) }
  }

  /// Returns the range of each entry, which must not overlap with the next entry.
  private func contentRanges(allowsPrefix: Bool) throws(ArchiveError) -> [String: Range<Int>] {
    let entries = directory.entries.sorted { $0.offset < $1.offset }
    if !allowsPrefix, directory.prefixByteCount + (entries.first?.offset ?? 0) > 0 {
      throw .corrupt("data before the first entry")
    }
    var ranges: [String: Range<Int>] = [:]
    for (entry, next) in zip(entries, entries.dropFirst().map(Optional.some) + [nil]) {
      let range = try contentRange(of: entry)
      let end = next.map { directory.prefixByteCount + $0.offset } ?? directory.startOffset
      guard range.upperBound <= end else {
        throw ArchiveError(
          .overlap(with: next?.name.text ?? "the directory"), entryName: entry.name.text)
      }
      ranges[entry.name.text] = range
    }
    return ranges
  }

  /// Returns the range of an entry, whose local header must match the directory.
  private func contentRange(of entry: ZipEntry) throws(ArchiveError) -> Range<Int> {
    do throws(ArchiveError) {
      let start = directory.prefixByteCount + entry.offset
      let record = LittleEndianReader(
        try file.bytes(start..<start + Self.localHeaderBytes)[...])
      let names = start + Self.localHeaderBytes
      let name = try file.bytes(names..<names + record.uint16(at: 26))
      let contents = names + name.count + (try record.uint16(at: 28))
      let extra = try file.bytes(names + name.count..<contents)
      guard try matches(record, name, extra, with: entry) else {
        throw .corrupt("local header and directory disagree")
      }
      return contents..<contents + entry.compressedByteCount
    } catch {
      var error = error
      error.entryName = entry.name.text
      throw error
    }
  }

  private func matches(
    _ record: LittleEndianReader, _ name: [UInt8], _ extra: [UInt8], with entry: ZipEntry
  ) throws(ArchiveError) -> Bool {
    let directoryName = Array((entry.name.text + (entry.isFolder ? "/" : "")).utf8)
    guard try record.uint32(at: 0) == ZipSignature.localFileHeader,
      try record.uint16(at: 6) == entry.flags,
      try record.uint16(at: 8) == entry.method.rawValue, name == directoryName
    else { return false }
    let sizes = (try record.uint32(at: 14), try record.uint32(at: 18), try record.uint32(at: 22))
    guard !entry.hasDataDescriptor else { return true }
    if sizes.1 == Self.zip64Marker, sizes.2 == Self.zip64Marker {
      guard sizes.0 == Int(entry.checksum) else { return false }
      return try Self.hasZip64Sizes(extra, of: entry)
    }
    return sizes == (Int(entry.checksum), entry.compressedByteCount, entry.byteCount)
  }

  /// The value of a size that is stored in the extra fields instead.
  private static let zip64Marker = 0xFFFF_FFFF

  /// Returns whether the extra fields hold the sizes of the directory in eight bytes each.
  ///
  /// NumPy writes all local headers in this form, whatever the sizes.
  private static func hasZip64Sizes(
    _ extra: [UInt8], of entry: ZipEntry
  ) throws(ArchiveError) -> Bool {
    let fields = LittleEndianReader(extra[...])
    var start = 0
    while start + 4 <= extra.count {
      let (kind, length) = (try fields.uint16(at: start), try fields.uint16(at: start + 2))
      if kind == 1, length >= 16 {
        let words = try [4, 8, 12, 16].map { offset throws(ArchiveError) in
          try fields.uint32(at: start + offset)
        }
        return words == [entry.byteCount, 0, entry.compressedByteCount, 0]
      }
      start += 4 + length
    }
    return false
  }
}

/// The path of an entry in an archive.
package struct EntryName: Sendable, Hashable {
  /// The path components, outermost folder first.
  let components: [String]

  /// The components joined with slashes.
  package var text: String { components.joined(separator: "/") }

  /// Parses a name, rejecting paths outside the archive's folder and names that are special on any
  /// supported file system.
  init(_ bytes: some Collection<UInt8>) throws(ArchiveError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ArchiveError(
        .unsafeName(detail: "not UTF-8"), entryName: String(decoding: bytes, as: UTF8.self))
    }
    let bare = text.utf8.last == Self.slash ? String(text.dropLast()) : text
    components = bare.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if let reason = rejectionReason(for: text) {
      throw ArchiveError(.unsafeName(detail: reason), entryName: text)
    }
  }

  private func rejectionReason(for text: String) -> String? {
    if text.utf8.count > ArchiveLimits.maxNameBytes {
      return "longer than \(ArchiveLimits.maxNameBytes) bytes"
    }
    if components.count > ArchiveLimits.maxDepth {
      return "more than \(ArchiveLimits.maxDepth) components deep"
    }
    if text.utf8.first == Self.slash { return "absolute path" }
    if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      return "contains a control character"
    }
    if text.utf8.contains(UInt8(ascii: "\\")) { return "contains a backslash" }
    if text.utf8.contains(UInt8(ascii: ":")) { return "contains a colon" }
    return components.lazy.compactMap(Self.rejectionReason(forComponent:)).first
  }

  private static func rejectionReason(forComponent component: String) -> String? {
    if component.isEmpty { return "contains an empty component" }
    if component == "." || component == ".." { return "contains '\(component)'" }
    if component.utf8.count > ArchiveLimits.maxComponentBytes {
      return "contains a component longer than \(ArchiveLimits.maxComponentBytes) bytes"
    }
    return nil
  }

  private static let slash = UInt8(ascii: "/")
}

/// The names of an archive's entries, without collisions on any file system.
///
/// Some file systems ignore case, and some normalize Unicode. On these, entries with distinct names
/// could overwrite each other.
struct EntryNameSet {
  private struct Entry {
    let name: String
    let isFolder: Bool
    /// Whether the archive lists the name itself and not only an entry inside the folder.
    var isListed: Bool
  }

  private var entries: [String: Entry] = [:]

  /// Adds a name and its parent folders.
  mutating func add(_ name: EntryName, isFolder: Bool) throws(ArchiveError) {
    var path = ""
    for (depth, component) in name.components.enumerated() {
      path += (depth == 0 ? "" : "/") + component
      let isLast = depth == name.components.count - 1
      try add(Entry(name: path, isFolder: isFolder || !isLast, isListed: isLast))
    }
  }

  /// Adds a path.
  ///
  /// A folder may be the parent of many entries, but no path may be listed twice.
  private mutating func add(_ new: Entry) throws(ArchiveError) {
    // String comparison is Unicode-normalizing, so only the case must be folded.
    let key = new.name.uppercased().lowercased()
    guard let old = entries[key] else {
      entries[key] = new
      return
    }
    let isSameFolder = old.isFolder && new.isFolder && old.name.utf8.elementsEqual(new.name.utf8)
    guard isSameFolder, !(old.isListed && new.isListed) else {
      throw ArchiveError(.nameCollision(first: old.name), entryName: new.name)
    }
    entries[key]?.isListed = old.isListed || new.isListed
  }
}
