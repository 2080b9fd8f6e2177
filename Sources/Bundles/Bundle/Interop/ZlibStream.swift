import CZlib

/// A deflate stream, as in zip archives or HTTP bodies, that zlib compresses or decompresses in
/// chunks.
///
/// zlib never processes names, sizes or directories of untrusted archives; TensorIO validates these
/// itself.
@safe struct ZlibStream: ~Copyable {
  private enum Direction { case compress, decompress }

  /// What surrounds the compressed data.
  enum Container: Sendable {
    /// Nothing, as in zip archives.
    case none
    /// The header and checksum of zlib, which HTTP calls `deflate`.
    case zlib
    /// The header and checksum of gzip.
    case gzip

    /// The number of window bits, by which zlib selects the container.
    fileprivate var windowBits: CInt {
      switch self {
      case .none: -MAX_WBITS
      case .zlib: MAX_WBITS
      case .gzip: MAX_WBITS + 16
      }
    }
  }

  /// The state, which must not move, because zlib refers to it.
  private let state: UnsafeMutablePointer<z_stream>
  private let direction: Direction

  /// The default of zlib.
  private static let memoryLevel: CInt = 8

  private init(
    _ direction: Direction, _ container: Container, level: CInt = Z_DEFAULT_COMPRESSION
  ) throws(ArchiveError) {
    self.direction = direction
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: z_stream())
    let size = unsafe CInt(MemoryLayout<z_stream>.size)
    let status =
      switch direction {
      case .compress:
        unsafe deflateInit2_(
          state, level, Z_DEFLATED, container.windowBits, Self.memoryLevel,
          Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
      case .decompress:
        unsafe inflateInit2_(state, container.windowBits, ZLIB_VERSION, size)
      }
    guard status == Z_OK else { throw Self.libraryError(status) }
  }

  deinit {
    // Has no effect if initialization failed.
    switch direction {
    case .compress: unsafe _ = deflateEnd(state)
    case .decompress: unsafe _ = inflateEnd(state)
    }
    unsafe state.deallocate()
  }

  /// Compresses the chunks that a closure returns, until it returns an empty one.
  static func compress(
    container: Container = .none, isFast: Bool = false,
    _ next: () throws(ArchiveError) -> [UInt8], into body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    let stream = try ZlibStream(
      .compress, container, level: isFast ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION)
    var isLast = false
    while !isLast {
      let input = try next()
      isLast = input.isEmpty
      _ = try stream.process(input, flush: isLast ? Z_FINISH : Z_NO_FLUSH, into: body)
    }
  }

  /// Decompresses the chunks that a closure returns.
  ///
  /// - Throws: An error if the stream is invalid, or does not end with the last chunk.
  static func decompress(
    container: Container = .none,
    _ next: () throws(ArchiveError) -> [UInt8], into body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    let stream = try ZlibStream(.decompress, container)
    while true {
      let input = try next()
      guard !input.isEmpty else { throw .corrupt("the compressed data is truncated") }
      guard let unusedCount = try stream.process(input, flush: Z_NO_FLUSH, into: body) else {
        continue
      }
      guard unusedCount == 0, try next().isEmpty else {
        throw .corrupt("data after the end of the compressed data")
      }
      return
    }
  }

  /// Processes one chunk of input.
  ///
  /// - Returns: The number of unused bytes at the end of the stream, or `nil` before it.
  private func process(
    _ input: [UInt8], flush: CInt, into body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) -> Int? {
    var offset = 0
    while true {
      let (status, output) = step(input, from: &offset, flush: flush)
      if !output.isEmpty { try body(output) }
      switch status {
      case Z_STREAM_END: return input.count - offset
      // There is more output if the last chunk was full. Without progress, zlib needs more input.
      case Z_OK: if output.count < ArchiveLimits.chunkBytes, offset == input.count { return nil }
      case Z_BUF_ERROR: return nil
      case Z_DATA_ERROR, Z_NEED_DICT: throw .corrupt("invalid compressed data")
      default: throw Self.libraryError(status)
      }
    }
  }

  /// Calls zlib once, with space for one chunk of output.
  private func step(
    _ input: [UInt8], from offset: inout Int, flush: CInt
  ) -> (status: CInt, output: [UInt8]) {
    var status = Z_OK
    let rest = input.count - offset
    let output = unsafe [UInt8](unsafeUninitializedCapacity: ArchiveLimits.chunkBytes) {
      output, count in
      unsafe input.withUnsafeBufferPointer { input in
        let start = unsafe input.baseAddress.map { unsafe $0 + offset }
        unsafe state.pointee.next_in = UnsafeMutablePointer(mutating: start)
        unsafe state.pointee.avail_in = uInt(rest)
        unsafe state.pointee.next_out = output.baseAddress
        unsafe state.pointee.avail_out = uInt(output.count)
        status =
          switch direction {
          case .compress: unsafe CZlib.deflate(state, flush)
          case .decompress: unsafe CZlib.inflate(state, flush)
          }
        count = unsafe output.count - Int(state.pointee.avail_out)
      }
    }
    unsafe offset = input.count - Int(state.pointee.avail_in)
    return (status, output)
  }

  private static func libraryError(_ status: CInt) -> ArchiveError {
    ArchiveError(
      .libraryFailed(detail: status == Z_MEM_ERROR ? "out of memory" : "status \(status)"))
  }
}
