package import TensorIOCore
package import TensorIOTasks

/// The destination of a run's records.
package protocol ResultSink {
  /// The items recorded by earlier runs.
  var recorded: RecordedItems { get }
  /// Writes the header.
  func begin() throws(OperationError)
  /// Writes a record, under the key of its item.
  func write(_ record: RunRecord, key: String?, isFirst: Bool) throws(OperationError)
  /// Writes the footer.
  func end() throws(OperationError)
}

/// Encodes the records of a result file.
package protocol RecordEncoder {
  /// The bytes before the first record.
  var header: [UInt8] { get }
  /// Returns the bytes of a record, including its line end.
  func bytes(of record: RunRecord, isFirst: Bool) -> [UInt8]
}

extension RunRecord {
  /// The error of a failed item.
  package var error: OperationError? {
    if case .failure(let error) = result { error } else { nil }
  }
}

extension OperationError {
  /// The error of a file that cannot be written.
  package static func unwritable(_ path: String, _ detail: String) -> OperationError {
    OperationError("unwritable", "\(path): \(detail)", exitCode: .operationFailed)
  }

  /// The error of a result file that exists although the run does not resume.
  package static func fileExists(_ path: String) -> OperationError {
    OperationError("file-exists", "\(path) already exists", exitCode: .usage)
  }
}
