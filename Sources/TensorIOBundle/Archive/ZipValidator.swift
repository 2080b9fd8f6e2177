/// All that is checked of an archive before a byte of it is unpacked.
struct ZipValidator {
  private let directory: ZipCentralDirectory
  private let file: RandomAccessFile

  private static let localHeaderBytes = 30

  init(_ directory: ZipCentralDirectory, _ file: RandomAccessFile) throws(ArchiveError) {
    self.directory = directory
    self.file = file
  }

  /// Where the bytes of each entry lie, once nothing speaks against any of them.
  func contentRanges(
    prefix beginning: ZipArchive.PrefixPolicy
  ) throws(ArchiveError) -> [String: Range<Int>] {
    try checkNames()
    try checkSizes()
    return try contentRanges(allowsPrefix: beginning == .rejectPrefix)
  }

  private func checkNames() throws(ArchiveError) {
    var names = EntryNameSet()
    for entry in directory.entries { try names.add(entry.name, isFolder: entry.isFolder) }
  }

  private func checkSizes() throws(ArchiveError) {
    let limit = ArchiveLimits.maxExpandedBytes(archiveBytes: file.byteCount)
    // At most so many entries of at most four bytes' worth each: the sum cannot overflow.
    let sum = directory.entries.reduce(0) { $0 + $1.byteCount }
    guard sum <= limit else { throw ArchiveError(.tooLarge(bytes: sum, limit: limit)) }
  }

  /// Each entry has its own bytes, between those of its neighbours.
  private func contentRanges(allowsPrefix: Bool) throws(ArchiveError) -> [String: Range<Int>] {
    let entries = directory.entries.sorted { $0.offset < $1.offset }
    if allowsPrefix, directory.prefixByteCount + (entries.first?.offset ?? 0) > 0 {
      throw .corrupt("there is something before its first entry")
    }
    var places: [String: Range<Int>] = [:]
    for (entry, next) in zip(entries, entries.dropFirst().map(Optional.some) + [nil]) {
      let place = try contentRange(of: entry)
      let end = next.map { directory.prefixByteCount + $0.offset } ?? directory.startOffset
      guard place.upperBound <= end else {
        throw ArchiveError(
          .overlap(with: next?.name.text ?? "the directory"), entryName: entry.name.text)
      }
      places[entry.name.text] = place
    }
    return places
  }

  /// Where the bytes of an entry lie: behind a record that says the same as the directory.
  private func contentRange(of entry: ZipEntry) throws(ArchiveError) -> Range<Int> {
    do throws(ArchiveError) {
      let start = directory.prefixByteCount + entry.offset
      let record = LittleEndianReader(try file.bytes(start..<start + Self.localHeaderBytes))
      let names = start + Self.localHeaderBytes
      let name = try file.bytes(names..<names + record.uint16(at: 26))
      guard try matches(record, name, with: entry) else {
        throw .corrupt("its own record and the directory disagree")
      }
      let contents = names + name.count + (try record.uint16(at: 28))
      return contents..<contents + entry.compressedByteCount
    } catch {
      var error = error
      error.entryName = entry.name.text
      throw error
    }
  }

  private func matches(
    _ record: LittleEndianReader, _ name: [UInt8], with entry: ZipEntry
  ) throws(ArchiveError) -> Bool {
    let directoryName = Array((entry.name.text + (entry.isFolder ? "/" : "")).utf8)
    guard try record.uint32(at: 0) == ZipSignature.localFileHeader, try record.uint16(at: 6) == entry.flags,
      try record.uint16(at: 8) == entry.method.rawValue, name == directoryName
    else { return false }
    let facts = (try record.uint32(at: 14), try record.uint32(at: 18), try record.uint32(at: 22))
    return entry.hasDataDescriptor
      || facts == (Int(entry.checksum), entry.compressedByteCount, entry.byteCount)
  }
}

/// The name of an entry: the way to a file or folder inside a bundle.
package struct EntryName: Sendable, Hashable {
  /// The parts, outermost folder first.
  let components: [String]

  /// The parts with slashes between them.
  package var text: String { components.joined(separator: "/") }

  /// Reads a name that may become a file's; what leads out of a folder, or means something to a
  /// system that the bundle may come to, is refused.
  init(_ bytes: some Collection<UInt8>) throws(ArchiveError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ArchiveError(
        .unsafeName(detail: "it is not UTF-8"), entryName: String(decoding: bytes, as: UTF8.self))
    }
    let bare = text.utf8.last == Self.slash ? String(text.dropLast()) : text
    components = bare.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if let fault = rejectionReason(for: text) {
      throw ArchiveError(.unsafeName(detail: fault), entryName: text)
    }
  }

  private func rejectionReason(for text: String) -> String? {
    if text.utf8.count > ArchiveLimits.maxNameBytes {
      return "it is longer than \(ArchiveLimits.maxNameBytes) bytes"
    }
    if components.count > ArchiveLimits.maxDepth { return "it is more than \(ArchiveLimits.maxDepth) deep" }
    if text.utf8.first == Self.slash { return "it is an absolute path" }
    if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      return "it has a control character"
    }
    if text.utf8.contains(UInt8(ascii: "\\")) { return "it has a backslash" }
    if text.utf8.contains(UInt8(ascii: ":")) { return "it has a colon, as names of drives do" }
    return components.lazy.compactMap(Self.rejectionReason(forComponent:)).first
  }

  private static func rejectionReason(forComponent part: String) -> String? {
    if part.isEmpty { return "it has an empty part" }
    if part == "." || part == ".." { return "it has a part '\(part)'" }
    if part.utf8.count > ArchiveLimits.maxComponentBytes {
      return "it has a part of more than \(ArchiveLimits.maxComponentBytes) bytes"
    }
    return nil
  }

  private static let slash = UInt8(ascii: "/")
}

/// The names of an archive so far: no two of them may be the same to any file system.
///
/// Some take `A` and `a` for one name, some `é` as one character or as two. Of the names of a zip
/// that one system packed, another would then write one file over the other.
struct EntryNameSet {
  private struct Entry {
    let name: String
    let isFolder: Bool
    /// Whether the archive lists it, rather than something inside it.
    var isListed: Bool
  }

  private var entries: [String: Entry] = [:]

  /// Adds a name and the folders on the way to it.
  mutating func add(_ name: EntryName, isFolder: Bool) throws(ArchiveError) {
    var path = ""
    for (depth, part) in name.components.enumerated() {
      path += (depth == 0 ? "" : "/") + part
      let isLast = depth == name.components.count - 1
      try add(Entry(name: path, isFolder: isFolder || !isLast, isListed: isLast))
    }
  }

  /// A folder may be on the way to many names, but nothing is listed twice.
  private mutating func add(_ new: Entry) throws(ArchiveError) {
    // Swift compares strings by what they look like, so that only the case has to be folded.
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
