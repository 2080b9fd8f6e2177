@testable import TensorIOIsolation

/// Readers of the messages between a program and its workers.
enum WorkerReaders {
  static func request(_ bytes: [UInt8]) throws(BrokenPromise) { try message(WorkerRequest.self, bytes) }

  static func answer(_ bytes: [UInt8]) throws(BrokenPromise) { try message(WorkerResponse.self, bytes) }

  /// There is one way to write a message, so what is accepted is written as the same bytes again.
  private static func message<Read: WorkerMessage>(
    _ type: Read.Type, _ bytes: [UInt8]
  ) throws(BrokenPromise) {
    guard let message = unlessRefused({ try Read(MessageFrame(bytes)) }) else { return }
    guard let again = unlessRefused({ try message.frame.bytes }) else {
      throw BrokenPromise(description: "what was read cannot be written")
    }
    try promise(again == bytes, "what was read is written otherwise")
  }
}
