/// The device, inode and change time of a file or directory, which detect its replacement.
package struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let inode: UInt64
  /// The time of the last status change, in nanoseconds.
  ///
  /// Inode numbers are reused.
  private let changeTime: Int64

  /// The identity of the item at a path; `nil` if there is none.
  ///
  /// The corresponding C function is `stat`.
  package init?(_ path: String) {
    var facts = stat()
    guard !path.utf8.contains(0), unsafe stat(path, &facts) == 0 else { return nil }
    #if canImport(Darwin)
      let time = facts.st_ctimespec
    #else
      let time = facts.st_ctim
    #endif
    (device, inode) = (UInt64(truncatingIfNeeded: facts.st_dev), UInt64(facts.st_ino))
    changeTime = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Whether both are the same file or directory, whose contents may have changed.
  package func isSameFile(as other: FileIdentity) -> Bool {
    device == other.device && inode == other.inode
  }

  /// The identity as a string.
  package var key: String { "\(device)-\(inode)-\(changeTime)" }

  /// Whether the last change is old enough that the next one is certain to have a different time.
  package var isSettled: Bool {
    Int64(Platform.unixTime) - changeTime / 1_000_000_000 >= Self.settlingSeconds
  }

  private static let settlingSeconds = 2
}

/// The size and modification time of a file, which detect changes without reading it.
package struct FileStamp: Sendable, Hashable {
  /// The size in bytes.
  package let byteCount: Int
  /// The time of the last modification, in nanoseconds.
  package let modificationTime: Int64

  /// The stamp of the file at a path; `nil` if there is none.
  ///
  /// The corresponding C function is `stat`.
  package init?(_ path: String) {
    var facts = stat()
    guard !path.utf8.contains(0), unsafe stat(path, &facts) == 0 else { return nil }
    #if canImport(Darwin)
      let time = facts.st_mtimespec
    #else
      let time = facts.st_mtim
    #endif
    byteCount = Int(clamping: facts.st_size)
    modificationTime = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

/// The stamps of all files in a directory, which detect changes without reading them.
package struct DirectoryStamp: Sendable, Equatable {
  private var files: [String: FileStamp] = [:]

  /// Creates the stamps of a directory and its subdirectories.
  package init(_ path: String) {
    add(path)
  }

  private mutating func add(_ folder: String) {
    for name in (try? FileSystem.entryNames(in: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      if FileKind(at: path, followingSymlinks: false) == .directory {
        add(path)
      } else {
        files[path] = FileStamp(path)
      }
    }
  }
}

/// A fast, non-cryptographic checksum of a file's contents.
///
/// It detects accidental changes, including any single-bit error. It does not protect against
/// deliberate changes; use ``SHA256`` for those.
package enum FileChecksum {
  private static let chunkBytes = 1 << 16
  private static let stepBytes = 32
  /// Odd, so that multiplication is invertible: the first bits of the golden ratio, √2, √3 and √5.
  private static let multipliers: [UInt64] = [
    0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b,
  ]

  /// Returns the checksum of a file.
  package static func of(_ path: String) throws(FileError) -> UInt64 {
    let file = try ReadableFile(path)
    var lanes = multipliers
    var byteCount = 0
    let chunk = UnsafeMutableRawBufferPointer.allocate(
      byteCount: chunkBytes, alignment: stepBytes)
    defer { unsafe chunk.deallocate() }
    while true {
      let count = try unsafe file.read(into: chunk)
      byteCount += count
      let steps = (count + stepBytes - 1) / stepBytes
      // Bytes beyond the end of the file count as zeros.
      for offset in count..<steps * stepBytes { unsafe chunk[offset] = 0 }
      unsafe add(UnsafeRawBufferPointer(chunk), steps, to: &lanes)
      if count < chunkBytes { break }
    }
    return lanes.reduce(UInt64(byteCount)) { ($0 ^ $1) &* multipliers[0] ^ $0 >> 32 }
  }

  private static func add(
    _ memory: UnsafeRawBufferPointer, _ steps: Int, to lanes: inout [UInt64]
  ) {
    let words = unsafe memory.assumingMemoryBound(to: UInt64.self)
    var (a, b, c, d) = (lanes[0], lanes[1], lanes[2], lanes[3])
    let (first, second) = (multipliers[0], multipliers[1])
    let (third, fourth) = (multipliers[2], multipliers[3])
    for step in 0..<steps {
      a = unsafe (a ^ words[4 * step]) &* first
      b = unsafe (b ^ words[4 * step + 1]) &* second
      c = unsafe (c ^ words[4 * step + 2]) &* third
      d = unsafe (d ^ words[4 * step + 3]) &* fourth
      (a, b, c, d) = (a ^ a >> 29, b ^ b >> 29, c ^ c >> 29, d ^ d >> 29)
    }
    lanes = [a, b, c, d]
  }
}
