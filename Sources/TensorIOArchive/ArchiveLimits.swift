/// How much an archive may hold.
///
/// Each limit keeps a small archive from filling a disk, or a large one from taking minutes before
/// it is refused.
package enum ArchiveLimits {
  /// Files and folders: bundles of today have ten.
  package static let entries = 4096
  /// Bytes of all files together: a flatbuffer ends here, too.
  package static let bytes = 2 << 30
  /// Bytes of the list of what is in the archive.
  package static let directoryBytes = 8 << 20
  /// How many times its own size an archive may expand to.
  package static let expansion = 100
  /// How many bytes an archive may expand to whatever its size.
  package static let modestBytes = 64 << 20
  /// Bytes of a name with the folders before it.
  package static let nameBytes = 1024
  /// Bytes of each part of a name: what file systems allow.
  package static let partBytes = 255
  /// Folders in each other.
  package static let depth = 16
  /// How many bytes are held in memory at once.
  static let chunk = 1 << 17

  /// The bytes that an archive of a size may expand to.
  static func bytes(fromArchiveOf count: Int) -> Int {
    let (expanded, overflow) = count.multipliedReportingOverflow(by: expansion)
    return overflow ? bytes : min(bytes, max(modestBytes, expanded))
  }
}
