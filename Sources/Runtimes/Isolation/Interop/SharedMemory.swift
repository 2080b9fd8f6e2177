import CIsolation
import TensorIOSystem

/// Memory that is shared by the application and a worker process.
///
/// The size is sealed before the descriptor is shared, because accessing memory that a worker
/// process has truncated would crash the application. The order of requests and responses
/// synchronizes access.
@safe package final class SharedMemory: @unchecked Sendable {
  /// The file descriptor.
  package let descriptor: CInt
  /// The number of bytes.
  package let byteCount: Int
  private let memory: UnsafeMutableRawBufferPointer

  /// Allocates zeroed memory, or returns `nil` if the system cannot.
  package convenience init?(byteCount: Int) {
    let descriptor = cisolation_create_memory(max(1, byteCount))
    guard descriptor >= 0 else { return nil }
    self.init(descriptor, byteCount: byteCount, isWritable: true)
  }

  /// Allocates memory with the given contents, sealed against writing.
  package convenience init?(readOnly bytes: [UInt8]) {
    let descriptor = cisolation_create_memory(max(1, bytes.count))
    guard descriptor >= 0 else { return nil }
    guard Self.write(bytes, to: descriptor), cisolation_seal_memory(descriptor) else {
      close(descriptor)
      return nil
    }
    self.init(descriptor, byteCount: bytes.count, isWritable: false)
  }

  /// Maps memory received with a message, or returns `nil` if it has fewer bytes than announced.
  package convenience init?(received descriptor: CInt, byteCount: Int, isWritable: Bool) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_size >= byteCount else {
      close(descriptor)
      return nil
    }
    self.init(descriptor, byteCount: byteCount, isWritable: isWritable)
  }

  /// Maps memory and takes ownership of its descriptor.
  private init?(_ descriptor: CInt, byteCount: Int, isWritable: Bool) {
    let protection = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
    let length = max(1, byteCount)
    let address = unsafe mmap(nil, length, protection, MAP_SHARED, descriptor, 0)
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
  /// Calls `body` with a range of bytes for writing; returns false if it is out of bounds.
  package func write<Failure>(
    _ range: Range<Int>, _ body: (inout MutableRawSpan) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    guard contains(range) else { return false }
    let slice = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[range])
    var span = unsafe slice.mutableBytes
    try body(&span)
    return true
  }

  /// Calls `body` with a range of bytes; returns false if it is out of bounds.
  package func read<Failure>(
    _ range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    guard contains(range) else { return false }
    let slice = unsafe UnsafeRawBufferPointer(rebasing: memory[range])
    try body(unsafe slice.bytes)
    return true
  }

  /// Calls `body` with a copy of a range of bytes; returns false if it is out of bounds.
  package func readCopy<Failure>(
    _ range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    guard let bytes = copy(range) else { return false }
    try body(unsafe bytes.span.bytes)
    return true
  }

  /// Calls `body` with the memory as numbers, or with a copy of them.
  package func readNumbers<Failure>(
    copying: Bool, _ body: (Span<Float>) throws(Failure) -> Void
  ) throws(Failure) {
    let numbers = unsafe UnsafeRawBufferPointer(memory).assumingMemoryBound(to: Float.self)
    if copying {
      let copy = unsafe Array(numbers)
      try body(copy.span)
    } else {
      try body(unsafe numbers.span)
    }
  }

  /// Returns a copy of a range of bytes, or `nil` if it is out of bounds.
  package func copy(_ range: Range<Int>) -> [UInt8]? {
    guard contains(range) else { return nil }
    return unsafe Array(memory[range])
  }
}

extension SharedMemory {
  /// Copies a range of bytes to a span; returns false if it is out of bounds or the counts differ.
  package func copy(_ range: Range<Int>, into span: inout MutableRawSpan) -> Bool {
    guard contains(range), span.byteCount == range.count else { return false }
    unsafe span.withUnsafeMutableBytes { target in
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[range]))
    }
    return true
  }

  /// Copies a span to a range of bytes; returns false if it is out of bounds or the counts differ.
  @discardableResult
  package func copy(_ span: RawSpan, into range: Range<Int>) -> Bool {
    guard contains(range), span.byteCount == range.count else { return false }
    unsafe span.withUnsafeBytes { source in
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory[range]).copyMemory(from: source)
    }
    return true
  }

  /// Copies numbers that fill the memory; returns false if they do not.
  package func copy(_ numbers: Span<Float>) -> Bool {
    copy(unsafe numbers.bytes, into: 0..<byteCount)
  }

  /// Copies an array to a range; returns false if it is out of bounds or the counts differ.
  @discardableResult
  package func copy(_ bytes: [UInt8], into range: Range<Int>) -> Bool {
    copy(unsafe bytes.span.bytes, into: range)
  }

  private func contains(_ range: Range<Int>) -> Bool {
    0 <= range.lowerBound && range.upperBound <= byteCount
  }
}
