internal import CTensorFlow
internal import TensorIOCore

/// How a graph is run: with how many threads.
@safe final class SessionConfiguration {
  let handle: OpaquePointer
  private let library: TensorFlowLibrary

  /// Options with the given number of threads.
  init(threads: Int, _ library: TensorFlowLibrary) throws(ModelError) {
    let functions = unsafe library.functions.pointee
    guard let handle = unsafe functions.TF_NewSessionOptions() else {
      throw ModelError(.runtime, .failed("there is no memory for TensorFlow's options"))
    }
    unsafe self.handle = handle
    self.library = library
    let bytes = Self.bytes(threads: threads)
    try unsafe library.checked("TF_SetConfig") { status in
      unsafe functions.TF_SetConfig(handle, bytes, bytes.count, status)
    }
  }

  deinit {
    unsafe library.functions.pointee.TF_DeleteSessionOptions(handle)
  }

  /// A `ConfigProto` with the number of threads within an operation (field 2), and none between
  /// operations (field 5): they follow each other in the thread that asks for the run.
  ///
  /// Handing a run to other threads and waking up when it is done takes longer than a small graph
  /// does, and large operations keep all threads busy anyway.
  static func bytes(threads: Int) -> [UInt8] {
    let callersThread = varint(UInt64(bitPattern: -1))
    return [2 << 3] + varint(UInt64(clamping: threads)) + [5 << 3] + callersThread
  }

  private static func varint(_ number: UInt64) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + varint(number >> 7)
  }
}
