import Foundation

/// Whether tests of many similar cases run all of them, as `Scripts/check/deep exhaustive` does every night,
/// or a sample that is the same each time.
public enum Exhaustive {
  public static let isEnabled = ProcessInfo.processInfo.environment["TENSORIO_EXHAUSTIVE"] != nil

  /// Returns all cases, or every `step`th one.
  public static func cases<Case>(_ all: [Case], orEvery step: Int) -> [Case] {
    isEnabled ? all : stride(from: 0, to: all.count, by: step).map { all[$0] }
  }
}
