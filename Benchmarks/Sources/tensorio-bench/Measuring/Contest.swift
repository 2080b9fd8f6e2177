/// Two contenders ready to be measured in turns.
struct Contest {
  let ours: Contender
  var peer: Contender?
  /// What both make of the same input, in a few words: speed without it counts for nothing.
  let agreement: String?

  init(_ ours: Contender, against peer: Contender? = nil, agreement: String? = nil) {
    self.ours = ours
    self.peer = peer
    self.agreement = agreement
  }
}

/// What both sides took in one round: the medians of goes that alternated.
struct Round {
  let ours: [Measurement]
  let peer: [Measurement]

  func ours(_ quantity: Quantity) -> Double? { ours.compactMap { $0[quantity] }.median }
  func peer(_ quantity: Quantity) -> Double? { peer.compactMap { $0[quantity] }.median }

  func ratio(_ quantity: Quantity) -> Double? {
    guard let ours = ours(quantity), let peer = peer(quantity), peer > 0 else { return nil }
    return ours / peer
  }
}

extension Contest {
  /// How long a round goes on, where that gives it a sensible number of goes.
  private static let round = Duration.milliseconds(500)
  private static let goes = 3...200
  /// How long it goes on at most, unless a single go takes longer.
  private static let longestRound = Duration.seconds(5)

  /// Measures both sides in turns, the one to begin changing every time: what disturbs the machine
  /// or warms it then falls on both alike.
  func rounds(_ count: Int) throws -> [Round] {
    let goes = try goesInARound()
    return try (0..<count).map { try round($0 * goes..<($0 + 1) * goes) }
  }

  /// By the time that passes, not by what is measured: a peer may take longer to start.
  private func goesInARound() throws -> Int {
    let passed = try ContinuousClock().measure {
      _ = try ours.measure()
      _ = try peer?.measure()
    }
    let fitting = Int(Self.round / max(passed, .microseconds(1)))
    let bearable = max(1, Int(Self.longestRound / max(passed, .microseconds(1))))
    return min(max(fitting, Self.goes.lowerBound), Self.goes.upperBound, bearable)
  }

  private func round(_ goes: Range<Int>) throws -> Round {
    var (left, right): ([Measurement], [Measurement]) = ([], [])
    for go in goes {
      if go.isMultiple(of: 2) { left.append(try ours.measure()) }
      if let peer { right.append(try peer.measure()) }
      if !go.isMultiple(of: 2) { left.append(try ours.measure()) }
    }
    return Round(ours: left, peer: right)
  }
}

extension [Double] {
  /// The middle value, or the mean of the two in the middle.
  var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}
