@testable import TensorIOIsolation

/// Readers of the messages between the application and worker processes.
enum WorkerReaders {
  static func request(_ bytes: [UInt8]) throws(PropertyViolation) {
    try message(WorkerRequest.self, bytes)
  }

  static func answer(_ bytes: [UInt8]) throws(PropertyViolation) {
    try message(WorkerResponse.self, bytes)
  }

  /// The encoding is unique: an accepted message is encoded to the same bytes.
  private static func message<Read: WorkerMessage>(
    _ type: Read.Type, _ bytes: [UInt8]
  ) throws(PropertyViolation) {
    guard let message = unlessRejected({ try Read(MessageFrame(bytes)) }) else { return }
    guard let again = unlessRejected({ try message.frame.bytes }) else {
      throw PropertyViolation(description: "a decoded message cannot be encoded")
    }
    try verify(again == bytes, "a decoded message is encoded differently")
  }
}
