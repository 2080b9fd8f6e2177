import CProtobufDescriptors

/// The descriptors of all messages and services, which are embedded in the program.
enum EmbeddedDescriptors {
  /// Returns the bytes of the `FileDescriptorSet`.
  static func bytes() -> [UInt8] {
    var count = 0
    let bytes = unsafe CProtobufDescriptorsBytes(&count)
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}
