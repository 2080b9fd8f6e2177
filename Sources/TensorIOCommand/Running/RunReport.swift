internal import TensorIOCore

/// What is said of a run while it goes on and at its end.
struct RunReport {
  private let total: Int
  private let console: Console
  private let isInterrupted: @Sendable () -> Bool
  private var progress: Progress
  private var failures: FailureCount
  private var done = 0

  init(_ total: Int, failures: FailureCount, _ console: Console) {
    self.total = total
    self.failures = failures
    self.console = console
    progress = Progress(of: total, console)
    // The only item is not worth waiting for.
    isInterrupted = total > 1 ? console.noteInterrupts() : { @Sendable in false }
  }

  /// Counts an item, and says whether there are to be more.
  mutating func add(_ failure: CommandFailure?, of name: String) -> OrderedWork.Wish {
    done += 1
    if let failure {
      failures.add(failure)
      console.fail(failure.about(name))
    }
    progress.advance()
    if failures.isReached { return .nothing }
    return isInterrupted() ? .rest : .more
  }

  /// The exit code, and a line where items were left out.
  func finish(isOnlyItem: Bool) -> ExitCode {
    progress.finish()
    if done < total {
      let reason = failures.isReached ? "\(failures.count) failed" : "interrupted"
      console.note("tensorio: \(reason); \(done) of \(total) are done")
    }
    if isInterrupted(), !failures.isReached { return .interrupted }
    guard failures.count > 0 else { return .ok }
    return isOnlyItem ? failures.first?.exit ?? .fellShort : .fellShort
  }
}

extension CommandFailure {
  /// How much of a long argument tells which one it is.
  private static let longestName = 60

  /// The failure of one of several items, told of which.
  func about(_ name: String) -> CommandFailure {
    let isTold = message.hasPrefix("\(name):") || message.contains("'\(name)'")
    guard !name.isEmpty, !isTold else { return self }
    let isPath = !["{", "[", ValueReader.base64Prefix].contains(where: name.hasPrefix)
    let shown =
      !isPath && name.count > Self.longestName
      ? name.prefix(Self.longestName) + "…" : name[...]
    return CommandFailure(code, "\(shown): \(message)", exit: exit)
  }
}
