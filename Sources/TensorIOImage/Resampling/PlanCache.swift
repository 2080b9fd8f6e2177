import Synchronization

/// The plans of a preparation's last pictures: photographs of one camera or frames of one film
/// have all the same size, and weights take longer to compute than to use.
final class PlanCache: Sendable {
  private static let capacity = 8
  private let plans = Mutex<[(key: PlanKey, plan: ResamplingPlan)]>([])

  func plan(for key: PlanKey) -> ResamplingPlan {
    if let known = plans.withLock({ $0.first { $0.key == key }?.plan }) { return known }
    let plan = ResamplingPlan(key)
    plans.withLock { plans in
      if plans.count == Self.capacity { plans.removeFirst() }
      plans.append((key, plan))
    }
    return plan
  }
}
