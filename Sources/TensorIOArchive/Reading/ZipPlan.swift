/// All that is checked of an archive before a byte of it is unpacked.
struct ZipPlan {
  private let directory: ZipDirectory
  private let file: ArchiveFile

  private static let recordLength = 30

  init(_ directory: ZipDirectory, _ file: ArchiveFile) throws(ArchiveError) {
    self.directory = directory
    self.file = file
  }

  /// Where the bytes of each entry lie, once nothing speaks against any of them.
  func places(
    after beginning: ZipArchive.Beginning
  ) throws(ArchiveError) -> [String: Range<Int>] {
    try checkNames()
    try checkSizes()
    return try places(isAlone: beginning == .archive)
  }

  private func checkNames() throws(ArchiveError) {
    var names = NameTree()
    for entry in directory.entries { try names.add(entry.name, isFolder: entry.isFolder) }
  }

  private func checkSizes() throws(ArchiveError) {
    let limit = ArchiveLimits.bytes(fromArchiveOf: file.byteCount)
    // At most so many entries of at most four bytes' worth each: the sum cannot overflow.
    let sum = directory.entries.reduce(0) { $0 + $1.byteCount }
    guard sum <= limit else { throw ArchiveError(.tooLarge(bytes: sum, limit: limit)) }
  }

  /// Each entry has its own bytes, between those of its neighbours.
  private func places(isAlone: Bool) throws(ArchiveError) -> [String: Range<Int>] {
    let entries = directory.entries.sorted { $0.offset < $1.offset }
    if isAlone, directory.prefix + (entries.first?.offset ?? 0) > 0 {
      throw .damaged("there is something before its first entry")
    }
    var places: [String: Range<Int>] = [:]
    for (entry, next) in zip(entries, entries.dropFirst().map(Optional.some) + [nil]) {
      let place = try place(of: entry)
      let end = next.map { directory.prefix + $0.offset } ?? directory.start
      guard place.upperBound <= end else {
        throw ArchiveError(
          .overlap(with: next?.name.text ?? "the directory"), entry: entry.name.text)
      }
      places[entry.name.text] = place
    }
    return places
  }

  /// Where the bytes of an entry lie: behind a record that says the same as the directory.
  private func place(of entry: ZipEntry) throws(ArchiveError) -> Range<Int> {
    do throws(ArchiveError) {
      let start = directory.prefix + entry.offset
      let record = Record(try file.bytes(start..<start + Self.recordLength))
      let names = start + Self.recordLength
      let name = try file.bytes(names..<names + record.short(26))
      guard try agrees(record, name, with: entry) else {
        throw .damaged("its own record and the directory disagree")
      }
      let contents = names + name.count + (try record.short(28))
      return contents..<contents + entry.packedCount
    } catch {
      var error = error
      error.entry = entry.name.text
      throw error
    }
  }

  private func agrees(
    _ record: Record, _ name: [UInt8], with entry: ZipEntry
  ) throws(ArchiveError) -> Bool {
    let directoryName = Array((entry.name.text + (entry.isFolder ? "/" : "")).utf8)
    guard try record.long(0) == Signature.file, try record.short(6) == entry.flags,
      try record.short(8) == entry.method.rawValue, name == directoryName
    else { return false }
    let facts = (try record.long(14), try record.long(18), try record.long(22))
    return entry.hasTrailer
      || facts == (Int(entry.checksum), entry.packedCount, entry.byteCount)
  }
}
