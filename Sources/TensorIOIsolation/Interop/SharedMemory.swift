import CIsolation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Memory that a program and its worker both see.
///
/// Its size is fixed for good before anyone else gets it: a worker that cut it short would end the
/// program at its next look. Who looks at which bytes when, the order of requests and answers says.
@safe package final class SharedMemory: @unchecked Sendable {
  /// What it is sent as.
  package let descriptor: CInt
  /// How many bytes there are.
  package let byteCount: Int
  private let memory: UnsafeMutableRawBufferPointer

  /// New memory, full of zeros; `nil` where the system has none.
  package convenience init?(byteCount: Int) {
    let descriptor = cisolation_create_memory(max(1, byteCount))
    guard descriptor >= 0 else { return nil }
    self.init(descriptor, byteCount: byteCount, isWritable: true)
  }

  /// New memory with some bytes that nobody can change any more.
  package convenience init?(readOnly bytes: [UInt8]) {
    let descriptor = cisolation_create_memory(max(1, bytes.count))
    guard descriptor >= 0 else { return nil }
    guard Self.write(bytes, to: descriptor), cisolation_seal_memory(descriptor) else {
      close(descriptor)
      return nil
    }
    self.init(descriptor, byteCount: bytes.count, isWritable: false)
  }

  /// Memory that came along with a message, which must be as large as the message says.
  package convenience init?(received descriptor: CInt, byteCount: Int, isWritable: Bool) {
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_size >= byteCount else {
      close(descriptor)
      return nil
    }
    self.init(descriptor, byteCount: byteCount, isWritable: isWritable)
  }

  /// Takes over a descriptor.
  private init?(_ descriptor: CInt, byteCount: Int, isWritable: Bool) {
    let rights = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
    let length = max(1, byteCount)
    let address = unsafe mmap(nil, length, rights, MAP_SHARED, descriptor, 0)
    guard let address = unsafe address, unsafe address != MAP_FAILED else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    self.byteCount = byteCount
    unsafe memory = UnsafeMutableRawBufferPointer(start: address, count: length)
  }

  deinit {
    unsafe munmap(memory.baseAddress, memory.count)
    close(descriptor)
  }

  private static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(written))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        written += count
      }
      return true
    }
  }
}

extension SharedMemory {
  /// Lends some of the bytes to be written; false where they are not all in here.
  package func write<Failure>(
    _ range: Range<Int>, _ body: (inout MutableRawSpan) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    guard contains(range) else { return false }
    let part = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[range])
    var span = unsafe part.mutableBytes
    try body(&span)
    return true
  }

  /// Lends some of the bytes to be read; false where they are not all in here.
  package func read<Failure>(
    _ range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    guard contains(range) else { return false }
    let part = unsafe UnsafeRawBufferPointer(rebasing: memory[range])
    try body(unsafe part.bytes)
    return true
  }

  /// Lends a copy of some of the bytes, which nobody changes while they are looked at.
  package func readCopy<Failure>(
    _ range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    guard let bytes = copy(range) else { return false }
    try body(unsafe bytes.span.bytes)
    return true
  }

  /// Some of the bytes as a copy that nobody else can change.
  package func copy(_ range: Range<Int>) -> [UInt8]? {
    guard contains(range) else { return nil }
    return unsafe Array(memory[range])
  }
}

extension SharedMemory {
  /// Copies some of the bytes over a span that is as long; false where they are not all in here.
  package func copy(_ range: Range<Int>, into span: inout MutableRawSpan) -> Bool {
    guard contains(range), span.byteCount == range.count else { return false }
    unsafe span.withUnsafeMutableBytes { target in
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[range]))
    }
    return true
  }

  /// Copies the bytes of a span to a place that is as long; false where it is not in here.
  @discardableResult
  package func copy(_ span: RawSpan, into range: Range<Int>) -> Bool {
    guard contains(range), span.byteCount == range.count else { return false }
    unsafe span.withUnsafeBytes { source in
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory[range]).copyMemory(from: source)
    }
    return true
  }

  /// Copies bytes to a place that is as long; false where it is not in here.
  @discardableResult
  package func copy(_ bytes: [UInt8], into range: Range<Int>) -> Bool {
    copy(unsafe bytes.span.bytes, into: range)
  }

  private func contains(_ range: Range<Int>) -> Bool {
    0 <= range.lowerBound && range.upperBound <= byteCount
  }
}
