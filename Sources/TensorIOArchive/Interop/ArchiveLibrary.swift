internal import CArchive

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

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
    var failure = ArchiveError(.libraryMissing(path: "libarchive", problem: "no name is known"))
    for name in (path.map { [$0] } ?? Self.names).reversed() {
      do throws(ArchiveError) {
        unsafe functions = try Self.open(name)
        return
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private static func open(_ path: String) throws(ArchiveError) -> UnsafePointer<CArchiveTable> {
    var problem: UnsafeMutablePointer<CChar>?
    if let table = unsafe carchive_open(path, &problem) { return unsafe table }
    let text = unsafe problem.map { unsafe String(cString: $0) } ?? "no memory"
    unsafe free(problem)
    throw ArchiveError(.libraryMissing(path: path, problem: text))
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
