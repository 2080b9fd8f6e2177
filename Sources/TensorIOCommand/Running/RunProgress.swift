import TensorIOCore
import TensorIOSystem

/// What is said of a run while it goes on and at its end.
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
    // The only item is not worth waiting for.
    isInterrupted = total > 1 ? console.observeInterrupts() : { @Sendable in false }
  }

  /// Counts an item, and says whether there are to be more.
  mutating func record(_ failure: OperationError?, for name: String) -> OrderedParallelMap.Decision {
    completed += 1
    if let failure {
      failures.add(failure)
      console.printError(failure.prefixed(withItem: name))
    }
    progress.advance()
    if failures.isLimitReached { return .stop }
    return isInterrupted() ? .finishPending : .proceed
  }

  /// The exit code, and a line where items were left out.
  func finish(isOnlyItem: Bool) -> ExitCode {
    progress.finish()
    if completed < total {
      let reason = failures.isLimitReached ? "\(failures.count) failed" : "interrupted"
      console.info("tensorio: \(reason); \(completed) of \(total) are done")
    }
    if isInterrupted(), !failures.isLimitReached { return .interrupted }
    guard failures.count > 0 else { return .success }
    return isOnlyItem ? failures.first?.exitCode ?? .partialFailure : .partialFailure
  }
}

extension OperationError {
  /// How much of a long argument tells which one it is.
  private static let maxNameLength = 60

  /// The failure of one of several items, told of which.
  func prefixed(withItem name: String) -> OperationError {
    let isTold = message.hasPrefix("\(name):") || message.contains("'\(name)'")
    guard !name.isEmpty, !isTold else { return self }
    let isPath = !["{", "[", InputValueParser.base64Prefix].contains(where: name.hasPrefix)
    let shown =
      !isPath && name.count > Self.maxNameLength
      ? name.prefix(Self.maxNameLength) + "…" : name[...]
    return OperationError(code, "\(shown): \(message)", exitCode: exitCode)
  }
}

/// How many items have failed, and how many may.
struct FailureCounter {
  static let flag = Flag("max-failures", "N", "stops after the Nth item that fails")

  /// How many failures end the run; `nil` lets all fail.
  let limit: Int?
  private(set) var first: OperationError?
  /// How many have failed, in earlier runs that this one goes on with, too.
  private(set) var count: Int
  private let previouslyRecorded: Int

  init(limit: Int?, previouslyRecorded: Int) {
    self.limit = limit
    self.previouslyRecorded = previouslyRecorded
    count = previouslyRecorded
  }

  /// Counts a failure.
  mutating func add(_ failure: OperationError) {
    first = first ?? failure
    count += 1
  }

  /// Whether there have been too many.
  var isLimitReached: Bool { limit.map { count - previouslyRecorded >= $0 } ?? false }
}
