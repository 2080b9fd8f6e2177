import TensorIOCore
import TensorIOLibrary
import TensorIOTasks

/// Where the records of a run go.
protocol ResultSink {
  /// What is there already, from runs before this one.
  var recorded: RecordedItems { get }
  /// Writes what comes before the first record.
  func begin() throws(OperationError)
  /// Writes a record, of an item that is known again by its key.
  func write(_ record: RunRecord, key: String?, isFirst: Bool) throws(OperationError)
  /// Writes what comes after the last record.
  func end() throws(OperationError)
}

extension RecordWriter: ResultSink {
  var recorded: RecordedItems { RecordedItems() }

  func write(_ record: RunRecord, key: String?, isFirst: Bool) {
    write(record, isFirst: isFirst)
  }
}

extension RunRecord {
  /// The failure, in the place of an answer.
  var error: RunError? {
    if case .failure(let failure) = result { failure } else { nil }
  }
}

extension OperationError {
  /// A file of results that cannot be written.
  static func unwritable(_ path: String, _ problem: String) -> OperationError {
    OperationError("unwritable", "\(path): \(problem)", exitCode: .inferenceFailed)
  }

  /// A file of results that was not asked for to be gone on with.
  static func fileExists(_ path: String) -> OperationError {
    .usage("\(path) is there already; --resume goes on with it")
  }
}
