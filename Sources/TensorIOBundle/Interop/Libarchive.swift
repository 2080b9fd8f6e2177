import COptionalLibraries
import TensorIOSystem

/// The functions of libarchive, loaded at run time. The library stays open.
// Unchecked, but safe: the table is not modified after loading.
@safe package struct Libarchive: @unchecked Sendable {
  let functions: UnsafePointer<CArchiveTable>

  #if os(macOS)
    private static let names = [
      "libarchive.dylib", "/opt/homebrew/opt/libarchive/lib/libarchive.dylib",
    ]
  #else
    private static let names = ["libarchive.so.13"]
  #endif

  /// Loads the library from a path, or from the first of its usual names that works.
  package init(path: String? = nil) throws(ArchiveError) {
    do throws(DynamicLibraryError) {
      unsafe functions = try DynamicLibrary.open(
        firstOf: path.map { [$0] } ?? Self.names, carchive_open)
    } catch {
      throw ArchiveError(.libraryMissing(path: error.path, detail: error.message))
    }
  }

  /// The system's library, loaded on first use.
  package static var standard: Libarchive {
    get throws(ArchiveError) { try opened.get() }
  }

  private static let opened = Result { () throws(ArchiveError) in try Libarchive() }

  /// The library's name and version, such as `libarchive 3.6.2`.
  package var version: String {
    unsafe String(cString: functions.pointee.archive_version_string())
  }
}

/// Compresses data in chunks with libarchive's gzip filter.
///
/// The output is a raw deflate stream, without gzip header and trailer.
struct Deflater {
  private let library: Libarchive

  init(_ library: Libarchive) {
    self.library = library
  }

  /// Compresses the chunks that a closure returns, until it returns an empty one.
  func deflate(
    _ next: () throws(ArchiveError) -> [UInt8], into body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    try withoutActuallyEscaping(body) { body throws(ArchiveError) in
      let sink = GzipSink(body)
      let result = Result { () throws(ArchiveError) in try deflate(next, into: sink) }
      // An error of the callback causes libarchive's error, so it takes precedence.
      if let error = sink.callbackError { throw error }
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
      let chunk = try next()
      if chunk.isEmpty { break }
      let count = unsafe chunk.withUnsafeBytes { memory in
        unsafe memory.baseAddress.map {
          unsafe table.archive_write_data(handle, $0, memory.count)
        } ?? 0
      }
      guard count == chunk.count else { throw Self.failure }
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

  private static let failure = ArchiveError(.libraryFailed(detail: "compression failed"))
  private static let noMemory = ArchiveError(.libraryFailed(detail: "out of memory"))
}

/// Removes the header of ten bytes and the trailer of eight bytes from a gzip stream.
private final class GzipSink {
  private let body: ([UInt8]) throws(ArchiveError) -> Void
  private var remainingHeaderBytes = 10
  /// The last bytes received, which may be the trailer.
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
    let chunk = unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    return sink.accept(chunk) ? count : -1
  }

  private func accept(_ chunk: [UInt8]) -> Bool {
    let header = min(remainingHeaderBytes, chunk.count)
    remainingHeaderBytes -= header
    pendingTrailer += chunk.dropFirst(header)
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

/// Decompresses raw deflate streams.
///
/// libarchive reads deflate streams only in gzip files, so a header and trailer are added. It never
/// processes names, sizes or directories of untrusted archives; TensorIO validates these itself.
struct Inflater {
  private let library: Libarchive

  init(_ library: Libarchive) {
    self.library = library
  }

  /// Decompresses the chunks that a closure returns, until it returns an empty one.
  func inflate(
    _ next: () throws(ArchiveError) -> [UInt8], into body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    try withoutActuallyEscaping(next) { next throws(ArchiveError) in
      let source = GzipSource(next)
      let result = Result { () throws(ArchiveError) in try inflate(source, into: body) }
      // An error of the callback causes libarchive's error, so it takes precedence.
      if let error = source.callbackError { throw error }
      try result.get()
    }
  }

  private func inflate(
    _ source: GzipSource, into body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    let table = unsafe library.functions.pointee
    guard let handle = unsafe table.archive_read_new() else {
      throw ArchiveError(.libraryFailed(detail: "out of memory"))
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
    case CInt(CArchiveOK): try unsafe forward(handle, to: body)
    case CInt(CArchiveEnd): break  // an empty file
    default: throw Self.failure
    }
    withExtendedLifetime(source) {}
  }

  private func forward(
    _ handle: OpaquePointer, to body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    let table = unsafe library.functions.pointee
    while true {
      var chunk = [UInt8](repeating: 0, count: ArchiveLimits.chunkBytes)
      let count = unsafe chunk.withUnsafeMutableBytes { memory in
        unsafe memory.baseAddress.map {
          unsafe table.archive_read_data(handle, $0, memory.count)
        } ?? 0
      }
      guard count >= 0 else { throw Self.failure }
      if count == 0 { return }
      chunk.removeLast(chunk.count - count)
      try body(chunk)
    }
  }

  private static let failure = ArchiveError.corrupt("invalid compressed data")
}

/// Provides a raw deflate stream with gzip header and trailer to libarchive's read callback.
@safe private final class GzipSource {
  private let next: () throws(ArchiveError) -> [UInt8]
  /// The chunk that libarchive is reading, which must stay valid until the next call.
  private var currentChunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 1)
  private var hasSentHeader = false
  private var hasSentTrailer = false
  private(set) var callbackError: ArchiveError?

  /// A gzip header without name and time.
  private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
  /// Checksum and length, which libarchive ignores; ``ZipArchive`` verifies both.
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
    guard let chunk = unsafe source.nextChunk() else { return -1 }
    unsafe bytes.pointee = UnsafeRawPointer(chunk.baseAddress)
    return chunk.count
  }

  /// Returns the next chunk, empty at the end, or `nil` after an error.
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
