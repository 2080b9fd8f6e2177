import TensorIOCore
import TensorIOLibrary
import TensorIOSystem

/// Reports the progress, errors and summary of a run.
struct RunProgress {
  private let total: Int
  private let console: Console
  private let isInterrupted: @Sendable () -> Bool
  private var progress: ProgressReporter
  private var failures: FailureCounter
  private var completed = 0

  init(_ total: Int, failures: FailureCounter, _ console: Console) {
    self.total = total
    self.failures = failures
    self.console = console
    progress = ProgressReporter(total: total, console)
    // An interrupt during a single item ends the process at once.
    isInterrupted = total > 1 ? console.observeInterrupts() : { @Sendable in false }
  }

  /// Counts an item and its error, and returns whether to continue.
  mutating func record(_ error: OperationError?, for name: String) -> OrderedParallelMap.Decision {
    completed += 1
    if let error {
      failures.add(error)
      console.printError(error.prefixed(withItem: name))
    }
    progress.advance()
    if failures.isLimitReached { return .stop }
    return isInterrupted() ? .finishPending : .proceed
  }

  /// Prints a summary if items were left out, and returns the exit code.
  func finish(isOnlyItem: Bool) -> ExitCode {
    progress.finish()
    if completed < total {
      let reason = failures.isLimitReached ? "\(failures.count) failed" : "interrupted"
      console.info("tensorio: \(reason); \(completed) of \(total) items done")
    }
    if isInterrupted(), !failures.isLimitReached { return .interrupted }
    guard failures.count > 0 else { return .success }
    return isOnlyItem ? failures.first?.exitCode ?? .partialFailure : .partialFailure
  }
}

extension OperationError {
  /// The maximum length of an item's name in a message.
  private static let maxNameLength = 60

  /// Returns the error of an item, with its name before the message.
  func prefixed(withItem name: String) -> OperationError {
    let isNamed = message.hasPrefix("\(name):") || message.contains("'\(name)'")
    guard !name.isEmpty, !isNamed else { return self }
    let isPath = !["{", "[", InputValueParser.base64Prefix].contains(where: name.hasPrefix)
    let shown =
      !isPath && name.count > Self.maxNameLength
      ? name.prefix(Self.maxNameLength) + "…" : name[...]
    return OperationError(code, "\(shown): \(message)", exitCode: exitCode)
  }
}

/// Counts failed items against a limit.
struct FailureCounter {
  static let flag = Flag("max-failures", "N", "Stop after N items have failed")

  /// The number of failures that stops the run; `nil` for no limit.
  let limit: Int?
  private(set) var first: OperationError?
  /// The number of failures, including those that a resumed run has recorded.
  private(set) var count: Int
  private let previouslyRecorded: Int

  init(limit: Int?, previouslyRecorded: Int) {
    self.limit = limit
    self.previouslyRecorded = previouslyRecorded
    count = previouslyRecorded
  }

  /// Counts a failure.
  mutating func add(_ error: OperationError) {
    first = first ?? error
    count += 1
  }

  /// Whether this run has reached the limit.
  var isLimitReached: Bool { limit.map { count - previouslyRecorded >= $0 } ?? false }
}
