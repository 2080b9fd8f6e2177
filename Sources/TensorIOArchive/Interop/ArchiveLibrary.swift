internal import CArchive
internal import TensorIOSystem

/// libarchive's functions, as found in the opened library, which stays open.
// Unchecked, but safe: the table is never written again.
@safe package struct ArchiveLibrary: @unchecked Sendable {
  let functions: UnsafePointer<CArchiveTable>

  #if os(macOS)
    private static let names = [
      "libarchive.dylib", "/opt/homebrew/opt/libarchive/lib/libarchive.dylib",
    ]
  #else
    private static let names = ["libarchive.so.13"]
  #endif

  /// Opens the library at a path, or by the first of its usual names that works.
  package init(path: String? = nil) throws(ArchiveError) {
    do throws(SystemLibraryFault) {
      unsafe functions = try SystemLibrary.open(
        firstOf: path.map { [$0] } ?? Self.names, carchive_open)
    } catch {
      throw ArchiveError(.libraryMissing(path: error.path, problem: error.problem))
    }
  }

  /// The library of this system, opened by the first who asks.
  package static var standard: ArchiveLibrary {
    get throws(ArchiveError) { try opened.get() }
  }

  private static let opened = Result { () throws(ArchiveError) in try ArchiveLibrary() }

  /// The library's name and version, as `libarchive 3.6.2`.
  package var version: String {
    unsafe String(cString: functions.pointee.archive_version_string())
  }
}
