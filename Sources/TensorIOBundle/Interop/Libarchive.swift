import CArchive
import TensorIOSystem

/// libarchive's functions, as found in the opened library, which stays open.
// Unchecked, but safe: the table is never written again.
@safe package struct Libarchive: @unchecked Sendable {
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
    do throws(DynamicLibraryError) {
      unsafe functions = try DynamicLibrary.open(
        firstOf: path.map { [$0] } ?? Self.names, carchive_open)
    } catch {
      throw ArchiveError(.libraryMissing(path: error.path, detail: error.message))
    }
  }

  /// The library of this system, opened by the first who asks.
  package static var standard: Libarchive {
    get throws(ArchiveError) { try opened.get() }
  }

  private static let opened = Result { () throws(ArchiveError) in try Libarchive() }

  /// The library's name and version, as `libarchive 3.6.2`.
  package var version: String {
    unsafe String(cString: functions.pointee.archive_version_string())
  }
}

/// Deflates bytes that come in pieces, with libarchive's gzip filter.
///
/// What comes out is bare: without the frame of a gzip file around it.
struct Deflater {
  private let library: Libarchive

  init(_ library: Libarchive) {
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
      if let failure = sink.callbackError { throw failure }
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

  private static let failure = ArchiveError(.libraryFailed(detail: "it cannot compress"))
  private static let noMemory = ArchiveError(.libraryFailed(detail: "no memory"))
}

/// Takes a gzip file apart: ten bytes before and eight behind what is wanted.
private final class GzipSink {
  private let body: ([UInt8]) throws(ArchiveError) -> Void
  private var remainingHeaderBytes = 10
  /// What may be the end.
  private var pendingTrailer: [UInt8] = []
  private(set) var callbackError: ArchiveError?

  private static let trailerBytes = 8

  init(_ body: @escaping ([UInt8]) throws(ArchiveError) -> Void) {
    self.body = body
  }

  static func write(
    _ client: UnsafeMutableRawPointer, _ bytes: UnsafeRawPointer, _ count: Int
  ) -> Int {
    let sink = unsafe Unmanaged<GzipSink>.fromOpaque(client).takeUnretainedValue()
    let piece = unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    return sink.accept(piece) ? count : -1
  }

  private func accept(_ piece: [UInt8]) -> Bool {
    let header = min(remainingHeaderBytes, piece.count)
    remainingHeaderBytes -= header
    pendingTrailer += piece.dropFirst(header)
    let ready = pendingTrailer.dropLast(Self.trailerBytes)
    pendingTrailer.removeFirst(ready.count)
    do throws(ArchiveError) {
      if !ready.isEmpty { try body(Array(ready)) }
      return true
    } catch {
      callbackError = error
      return false
    }
  }
}

/// Expands what was deflated.
///
/// An entry of a zip holds a bare deflate stream. libarchive reads one in the frame of a gzip
/// file, so that is what it is given: it never sees a name, a size or a directory, which TensorIO
/// has read and checked itself.
struct Inflater {
  private let library: Libarchive

  init(_ library: Libarchive) {
    self.library = library
  }

  /// Expands the bytes that a closure gives, until it gives none, and hands the result on.
  func inflate(
    _ next: () throws(ArchiveError) -> [UInt8], into body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    try withoutActuallyEscaping(next) { next throws(ArchiveError) in
      let source = GzipSource(next)
      let result = Result { () throws(ArchiveError) in try inflate(source, into: body) }
      // The source's own failure is the reason for libarchive's.
      if let failure = source.callbackError { throw failure }
      try result.get()
    }
  }

  private func inflate(
    _ source: GzipSource, into body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    let table = unsafe library.functions.pointee
    guard let handle = unsafe table.archive_read_new() else {
      throw ArchiveError(.libraryFailed(detail: "no memory"))
    }
    defer { unsafe _ = table.archive_read_free(handle) }
    let client = unsafe Unmanaged.passUnretained(source).toOpaque()
    guard unsafe table.archive_read_support_filter_gzip(handle) >= CArchiveOK,
      unsafe table.archive_read_support_format_raw(handle) >= CArchiveOK,
      unsafe table.archive_read_support_format_empty(handle) >= CArchiveOK,
      unsafe table.archive_read_open(
        handle, client, nil, { _, client, bytes in unsafe GzipSource.read(client, bytes) }, nil)
        == CArchiveOK
    else { throw Self.failure }
    var entry: OpaquePointer?
    switch unsafe table.archive_read_next_header(handle, &entry) {
    case CInt(CArchiveOK): try unsafe forward( handle, to: body)
    case CInt(CArchiveEnd): break  // nothing, deflated
    default: throw Self.failure
    }
    withExtendedLifetime(source) {}
  }

  private func forward(
    _ handle: OpaquePointer, to body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    let table = unsafe library.functions.pointee
    while true {
      var piece = [UInt8](repeating: 0, count: ArchiveLimits.chunkBytes)
      let count = unsafe piece.withUnsafeMutableBytes { memory in
        unsafe memory.baseAddress.map {
          unsafe table.archive_read_data(handle, $0, memory.count)
        } ?? 0
      }
      guard count >= 0 else { throw Self.failure }
      if count == 0 { return }
      piece.removeLast(piece.count - count)
      try body(piece)
    }
  }

  private static let failure = ArchiveError.corrupt("its bytes cannot be expanded")
}

/// Bytes in the frame of a gzip file, for a C function that asks for more and more of them.
@safe private final class GzipSource {
  private let next: () throws(ArchiveError) -> [UInt8]
  /// What libarchive is reading at the moment; it stays where it is until the next call.
  private var currentChunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 1)
  private var hasSentHeader = false
  private var hasSentTrailer = false
  private(set) var callbackError: ArchiveError?

  /// Deflated, with neither a name nor a time.
  private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
  /// A checksum and a length, which libarchive skips; ``ZipArchive`` checks both.
  private static let trailer = [UInt8](repeating: 0, count: 8)

  init(_ next: @escaping () throws(ArchiveError) -> [UInt8]) {
    self.next = next
  }

  deinit {
    unsafe currentChunk.deallocate()
  }

  static func read(
    _ client: UnsafeMutableRawPointer, _ bytes: UnsafeMutablePointer<UnsafeRawPointer?>
  ) -> Int {
    let source = unsafe Unmanaged<GzipSource>.fromOpaque(client).takeUnretainedValue()
    guard let piece = unsafe source.nextChunk() else { return -1 }
    unsafe bytes.pointee = UnsafeRawPointer(piece.baseAddress)
    return piece.count
  }

  /// The next bytes: none when there are no more, `nil` when they cannot be had.
  private func nextChunk() -> UnsafeMutableRawBufferPointer? {
    do throws(ArchiveError) {
      let bytes = try nextBytes()
      unsafe currentChunk.deallocate()
      unsafe currentChunk = .allocate(byteCount: bytes.count, alignment: 1)
      unsafe currentChunk.copyBytes(from: bytes)
      return unsafe currentChunk
    } catch {
      callbackError = error
      return nil
    }
  }

  private func nextBytes() throws(ArchiveError) -> [UInt8] {
    guard hasSentHeader else {
      hasSentHeader = true
      return Self.header
    }
    if hasSentTrailer { return [] }
    let bytes = try next()
    if bytes.isEmpty { hasSentTrailer = true }
    return bytes.isEmpty ? Self.trailer : bytes
  }
}
