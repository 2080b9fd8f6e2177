#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Waits, up to a limit, until the machine is idle.
struct Quiet {
  /// How long all waiting together may take.
  private var patience: Duration
  /// How many jobs began although the machine was busy.
  private(set) var disturbed = 0

  /// The share of all processors that others may use.
  private static let bearable = 0.1
  private static let glance = Duration.milliseconds(300)

  init(patience: Duration) {
    self.patience = patience
  }

  mutating func wait() async throws {
    let start = ContinuousClock.now
    defer { patience -= ContinuousClock.now - start }
    while let share = try await busyShare(), share > Self.bearable {
      guard ContinuousClock.now - start < patience else {
        disturbed += 1
        return
      }
    }
  }

  /// Returns the share of processor time in use; `nil` if the system does not report it.
  private func busyShare() async throws -> Double? {
    guard let before = ProcessorTimes() else { return nil }
    try await Task.sleep(for: Self.glance)
    guard let after = ProcessorTimes(), after.total > before.total else { return nil }
    return (after.busy - before.busy) / (after.total - before.total)
  }
}

/// The times that Linux counts for all processors together.
private struct ProcessorTimes {
  let total: Double
  let busy: Double

  init?() {
    guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
    let numbers = text.prefix { $0 != "\n" }.split(separator: " ").compactMap { Double($0) }
    guard numbers.count > 4 else { return nil }
    total = numbers.reduce(0, +)
    busy = total - numbers[3] - numbers[4]  // all but idling and waiting for a disk
  }
}
