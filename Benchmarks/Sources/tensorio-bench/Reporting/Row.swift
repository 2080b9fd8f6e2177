/// A row of the table: one quantity of one job.
struct Row: Codable {
  let name: String
  let job: String
  let against: String
  let quantity: Quantity
  /// The medians of all rounds, in microseconds or megabytes.
  let ours: Double
  let peer: Double?
  /// The median of the rounds' ratios, ours to the peer's.
  let ratio: Double?
  let goal: String?
  let isReached: Bool?
  let agreement: String?

  static func rows(of job: Job, _ contest: Contest, _ rounds: [Round]) -> [Row] {
    job.goals.compactMap { Row(job, $0, contest, rounds) }
  }

  private init?(_ job: Job, _ goal: Goal, _ contest: Contest, _ rounds: [Round]) {
    let quantity = goal.quantity
    guard let ours = rounds.compactMap({ $0.ours(quantity) }).median else { return nil }
    name = job.name
    self.job = job.title
    against = job.peer
    self.quantity = quantity
    self.ours = ours
    peer = rounds.compactMap { $0.peer(quantity) }.median
    ratio = rounds.compactMap { $0.ratio(quantity) }.median
    self.goal = goal.text
    isReached = goal.isReached(value: ours, peer: peer, ratio: ratio)
    agreement = quantity == .time ? contest.agreement : nil
  }
}

extension Goal {
  fileprivate var text: String? {
    switch limit {
    case .ratio(let limit): "≤ \(limit.significant)×"
    case .value(let limit): "≤ \(quantity.text(limit))"
    case .difference(let limit): "≤ peer + \(quantity.text(limit))"
    case nil: nil
    }
  }

  fileprivate func isReached(value: Double, peer: Double?, ratio: Double?) -> Bool? {
    switch limit {
    case .ratio(let limit): ratio.map { $0 <= limit }
    case .value(let limit): value <= limit
    case .difference(let limit): peer.map { value - $0 <= limit }
    case nil: nil
    }
  }
}
