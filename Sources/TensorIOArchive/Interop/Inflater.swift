internal import CArchive

/// Expands what was deflated.
///
/// An entry of a zip holds a bare deflate stream. libarchive reads one in the frame of a gzip
/// file, so that is what it is given: it never sees a name, a size or a directory, which TensorIO
/// has read and checked itself.
struct Inflater {
  private let library: ArchiveLibrary

  init(_ library: ArchiveLibrary) {
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
      if let failure = source.failure { throw failure }
      try result.get()
    }
  }

  private func inflate(
    _ source: GzipSource, into body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    let table = unsafe library.functions.pointee
    guard let handle = unsafe table.archive_read_new() else {
      throw ArchiveError(.libraryFailed(problem: "no memory"))
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
    case CInt(CArchiveOK): try unsafe hand(on: handle, to: body)
    case CInt(CArchiveEnd): break  // nothing, deflated
    default: throw Self.failure
    }
    withExtendedLifetime(source) {}
  }

  private func hand(
    on handle: OpaquePointer, to body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    let table = unsafe library.functions.pointee
    while true {
      var piece = [UInt8](repeating: 0, count: ArchiveLimits.chunk)
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

  private static let failure = ArchiveError.damaged("its bytes cannot be expanded")
}

/// Bytes in the frame of a gzip file, for a C function that asks for more and more of them.
@safe private final class GzipSource {
  private let next: () throws(ArchiveError) -> [UInt8]
  /// What libarchive is reading at the moment; it stays where it is until the next call.
  private var current = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 1)
  private var isBegun = false
  private var isEnded = false
  private(set) var failure: ArchiveError?

  /// Deflated, with neither a name nor a time.
  private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
  /// A checksum and a length, which libarchive skips; ``ZipArchive`` checks both.
  private static let trailer = [UInt8](repeating: 0, count: 8)

  init(_ next: @escaping () throws(ArchiveError) -> [UInt8]) {
    self.next = next
  }

  deinit {
    unsafe current.deallocate()
  }

  static func read(
    _ client: UnsafeMutableRawPointer, _ bytes: UnsafeMutablePointer<UnsafeRawPointer?>
  ) -> Int {
    let source = unsafe Unmanaged<GzipSource>.fromOpaque(client).takeUnretainedValue()
    guard let piece = unsafe source.piece() else { return -1 }
    unsafe bytes.pointee = UnsafeRawPointer(piece.baseAddress)
    return piece.count
  }

  /// The next bytes: none when there are no more, `nil` when they cannot be had.
  private func piece() -> UnsafeMutableRawBufferPointer? {
    do throws(ArchiveError) {
      let bytes = try nextBytes()
      unsafe current.deallocate()
      unsafe current = .allocate(byteCount: bytes.count, alignment: 1)
      unsafe current.copyBytes(from: bytes)
      return unsafe current
    } catch {
      failure = error
      return nil
    }
  }

  private func nextBytes() throws(ArchiveError) -> [UInt8] {
    guard isBegun else {
      isBegun = true
      return Self.header
    }
    if isEnded { return [] }
    let bytes = try next()
    if bytes.isEmpty { isEnded = true }
    return bytes.isEmpty ? Self.trailer : bytes
  }
}
