/// A zip archive of uncompressed files that follows other data in its file, such as a model.
///
/// Its offsets count from the start of the file, so that tools for archives open the whole file.
package struct AppendedArchive: Sendable {
  /// The contents of the archive.
  package let bytes: [UInt8]

  /// Creates an archive.
  ///
  /// - Parameters:
  ///   - files: The names and contents of the files.
  ///   - offset: The number of bytes before the archive.
  /// - Throws: ``ArchiveError`` if a name is invalid or occurs twice.
  package init(
    _ files: [(name: String, bytes: [UInt8])], at offset: Int
  ) throws(ArchiveError) {
    try ZipCentralDirectory.checkCount(files.count)
    var (contents, directory): ([UInt8], [UInt8]) = ([], [])
    var names = EntryNameSet()
    for file in files {
      let name = try EntryName(file.name.utf8)
      try names.add(name, isFolder: false)
      var checksum = CRC32()
      checksum.update(file.bytes)
      var header = ZipFileHeader(name: name, offset: offset + contents.count)
      header.method = .stored
      header.checksum = checksum.value
      (header.byteCount, header.compressedByteCount) = (file.bytes.count, file.bytes.count)
      contents += header.localHeader + file.bytes
      directory += header.centralDirectoryHeader
    }
    let end = ZipFileHeader.endOfCentralDirectory(
      count: files.count, directory.count, at: offset + contents.count)
    bytes = contents + directory + end
  }
}
