import CLiteRT
import TensorIOBundle
import TensorIOCore

/// The caches of a sequence of tokens, in LiteRT's memory.
@safe final class LiteRTCaches {
  let buffers: TensorBufferArray

  /// Allocates the caches of a signature, with zeros: LiteRT reads also the memory that a mask hides.
  init(
    _ signature: LiteRTSteps.Signature, of compiled: CompiledModel
  ) throws(ModelError) {
    var buffers = TensorBufferArray(count: signature.entryPoint.inputs.count, of: compiled)
    for cache in signature.caches { try buffers.allocate(input: cache) }
    self.buffers = buffers
  }

  /// Fills the caches with finite numbers other than zero, whatever their type.
  func fillWithPattern() throws(ModelError) {
    for index in buffers.entries.indices {
      let lock = try buffers.lock(index, .runtime, mode: CLiteRTLockWrite)
      for offset in 0..<buffers.entries[index].byteCount {
        unsafe lock.memory.storeBytes(
          of: UInt8(truncatingIfNeeded: (offset &* 37) >> 3) & 0x3F, toByteOffset: offset,
          as: UInt8.self)
      }
    }
  }

  /// Copies the caches of another sequence.
  func copy(_ other: LiteRTCaches) throws(ModelError) {
    for index in buffers.entries.indices {
      let source = try other.buffers.lock(index, .run, mode: CLiteRTLockRead)
      let target = try buffers.lock(index, .run, mode: CLiteRTLockWrite)
      unsafe target.memory.copyMemory(
        from: source.memory, byteCount: buffers.entries[index].byteCount)
    }
  }

  /// Returns whether the caches have the same contents as others.
  func isEqual(to other: LiteRTCaches) throws(ModelError) -> Bool {
    for index in buffers.entries.indices {
      let count = buffers.entries[index].byteCount
      let lock = try buffers.lock(index, .runtime, mode: CLiteRTLockRead)
      let otherLock = try other.buffers.lock(index, .runtime, mode: CLiteRTLockRead)
      let own = unsafe UnsafeRawBufferPointer(start: lock.memory, count: count)
      let others = unsafe UnsafeRawBufferPointer(start: otherLock.memory, count: count)
      guard unsafe own.elementsEqual(others) else { return false }
    }
    return true
  }
}
