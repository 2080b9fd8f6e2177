import TensorIOCore

/// Measures how much the memory of the process grows while a closure is called repeatedly.
///
/// A leak increases memory in every round; a cache does not.
public struct MemoryGrowth: CustomStringConvertible {
  /// The number of calls per round.
  public let cyclesPerRound: Int
  private let growths: [Int]

  /// Calls the closure in five rounds, after a warm-up of half a round that fills caches.
  public init(cycles: Int, _ cycle: () throws -> Void) rethrows {
    cyclesPerRound = max(1, cycles / 5)
    for _ in 0...cyclesPerRound / 2 { try cycle() }
    var growths: [Int] = []
    for _ in 0..<5 {
      let before = MemorySampler.residentBytes ?? 0
      for _ in 0..<cyclesPerRound { try cycle() }
      growths.append((MemorySampler.residentBytes ?? 0) - before)
    }
    self.growths = growths
  }

  /// The growth of the round with the least growth, in bytes.
  public var minGrowth: Int { growths.min() ?? 0 }

  public var description: String {
    "\(5 * cyclesPerRound) cycles, \(growths.reduce(0, +) / (5 * cyclesPerRound)) bytes each; by round \(growths)"
  }
}
