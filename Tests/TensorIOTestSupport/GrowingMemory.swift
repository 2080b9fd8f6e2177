import TensorIOCore

/// By how much the memory of this process grows while the same is done over and over.
///
/// What leaks is lost in every round; what is only kept for later is not.
public struct MemoryGrowth: CustomStringConvertible {
  /// How often it is done in a round.
  public let cyclesPerRound: Int
  private let growths: [Int]

  /// Does it once more than half as often, so that there is what is made once, and then in five rounds.
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

  /// That of the round in which it grew least, in bytes.
  public var minGrowth: Int { growths.min() ?? 0 }

  public var description: String {
    "\(5 * cyclesPerRound) cycles, \(growths.reduce(0, +) / (5 * cyclesPerRound)) bytes each; by round \(growths)"
  }
}
