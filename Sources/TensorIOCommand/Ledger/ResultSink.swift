internal import TensorIOCore

/// Where the records of a run go.
protocol ResultSink {
  /// What is there already, from runs before this one.
  var recorded: RecordedItems { get }
  /// Writes what comes before the first record.
  func begin() throws(CommandFailure)
  /// Writes a record, of an item that is known again by its key.
  func write(_ record: RunRecord, key: String?, isFirst: Bool) throws(CommandFailure)
  /// Writes what comes after the last record.
  func end() throws(CommandFailure)
}

extension RecordWriter: ResultSink {
  var recorded: RecordedItems { RecordedItems() }

  func write(_ record: RunRecord, key: String?, isFirst: Bool) {
    write(record, isFirst: isFirst)
  }
}

extension RunRecord {
  /// The failure, in the place of an answer.
  var failure: Failure? {
    if case .failure(let failure) = result { failure } else { nil }
  }
}

extension CommandFailure {
  /// A file of results that cannot be written.
  static func unwritable(_ path: String, _ problem: String) -> CommandFailure {
    CommandFailure("unwritable", "\(path): \(problem)", exit: .run)
  }

  /// A file of results that was not asked for to be gone on with.
  static func alreadyThere(_ path: String) -> CommandFailure {
    .usage("\(path) is there already; --resume goes on with it")
  }
}
