import TensorIOCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// What comes through a descriptor, as long as nobody wants to end.
struct DescriptorBytes: ByteStream {
  let descriptor: FileDescriptor
  /// How many seconds without a byte are too many; `nil` waits for ever.
  var patience: Double?
  /// Whether to go on no more.
  let isEnded: @Sendable () -> Bool

  func bytes(upTo count: Int, all: Bool) throws(CommandFailure) -> [UInt8] {
    var failure: CommandFailure?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { memory, filled in
      while filled < count {
        do throws(CommandFailure) {
          guard try waitForMore() else { return }
        } catch {
          failure = error
          return
        }
        let rest = unsafe UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(memory)[filled...])
        let got = unsafe read(descriptor.number, rest.baseAddress, rest.count)
        if got < 0 && errno == EINTR { continue }
        guard got > 0 else { return }
        filled += got
        if !all { return }
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Waits until there is something to read, in steps short enough to notice that it is enough.
  private func waitForMore() throws(CommandFailure) -> Bool {
    let start = ContinuousClock.now
    while !isEnded() {
      var wanted = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&wanted, 1, 100) > 0 { return true }
      if let patience, ContinuousClock.now - start > .seconds(patience) {
        throw .input("timed-out", "no frame has come for \(Int(patience)) seconds")
      }
    }
    return false
  }
}
