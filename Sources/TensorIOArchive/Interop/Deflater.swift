internal import CArchive

/// Deflates bytes that come in pieces, with libarchive's gzip filter.
///
/// What comes out is bare: without the frame of a gzip file around it.
struct Deflater {
  private let library: ArchiveLibrary

  init(_ library: ArchiveLibrary) {
    self.library = library
  }

  /// Deflates the bytes that a closure gives, until it gives none, and hands the result on.
  func deflate(
    _ next: () throws(ArchiveError) -> [UInt8], into body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    try withoutActuallyEscaping(body) { body throws(ArchiveError) in
      let sink = GzipSink(body)
      let result = Result { () throws(ArchiveError) in try deflate(next, into: sink) }
      // The sink's own failure is the reason for libarchive's.
      if let failure = sink.failure { throw failure }
      try result.get()
    }
  }

  private func deflate(
    _ next: () throws(ArchiveError) -> [UInt8], into sink: GzipSink
  ) throws(ArchiveError) {
    let table = unsafe library.functions.pointee
    guard let handle = unsafe table.archive_write_new() else { throw Self.noMemory }
    defer { unsafe _ = table.archive_write_free(handle) }
    let client = unsafe Unmanaged.passUnretained(sink).toOpaque()
    try check(unsafe table.archive_write_set_format_raw(handle))
    try check(unsafe table.archive_write_add_filter_gzip(handle))
    try check(unsafe table.archive_write_set_bytes_in_last_block(handle, 1))
    try check(
      unsafe table.archive_write_open(
        handle, client, nil,
        { _, client, bytes, count in unsafe GzipSink.write(client, bytes, count) }, nil))
    try unsafe writeHeader(handle)
    while true {
      let piece = try next()
      if piece.isEmpty { break }
      let count = unsafe piece.withUnsafeBytes { memory in
        unsafe memory.baseAddress.map {
          unsafe table.archive_write_data(handle, $0, memory.count)
        } ?? 0
      }
      guard count == piece.count else { throw Self.failure }
    }
    try check(unsafe table.archive_write_close(handle))
    withExtendedLifetime(sink) {}
  }

  private func writeHeader(_ handle: OpaquePointer) throws(ArchiveError) {
    let table = unsafe library.functions.pointee
    guard let entry = unsafe table.archive_entry_new() else { throw Self.noMemory }
    defer { unsafe table.archive_entry_free(entry) }
    unsafe table.archive_entry_set_filetype(entry, UInt32(CArchiveRegularFile))
    try check(unsafe table.archive_write_header(handle, entry))
  }

  private func check(_ status: CInt) throws(ArchiveError) {
    guard status == CArchiveOK else { throw Self.failure }
  }

  private static let failure = ArchiveError(.libraryFailed(problem: "it cannot compress"))
  private static let noMemory = ArchiveError(.libraryFailed(problem: "no memory"))
}

/// Takes a gzip file apart: ten bytes before and eight behind what is wanted.
private final class GzipSink {
  private let body: ([UInt8]) throws(ArchiveError) -> Void
  private var headerRest = 10
  /// What may be the end.
  private var held: [UInt8] = []
  private(set) var failure: ArchiveError?

  private static let trailerLength = 8

  init(_ body: @escaping ([UInt8]) throws(ArchiveError) -> Void) {
    self.body = body
  }

  static func write(
    _ client: UnsafeMutableRawPointer, _ bytes: UnsafeRawPointer, _ count: Int
  ) -> Int {
    let sink = unsafe Unmanaged<GzipSink>.fromOpaque(client).takeUnretainedValue()
    let piece = unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    return sink.takes(piece) ? count : -1
  }

  private func takes(_ piece: [UInt8]) -> Bool {
    let header = min(headerRest, piece.count)
    headerRest -= header
    held += piece.dropFirst(header)
    let ready = held.dropLast(Self.trailerLength)
    held.removeFirst(ready.count)
    do throws(ArchiveError) {
      if !ready.isEmpty { try body(Array(ready)) }
      return true
    } catch {
      failure = error
      return false
    }
  }
}
