/// Several who are told of every request.
package struct Observers: RequestObserver {
  private let observers: [any RequestObserver]

  /// Tells each of some, in order.
  package init(_ observers: [any RequestObserver]) { self.observers = observers }

  package func answered(_ summary: RequestSummary) {
    observers.forEach { $0.answered(summary) }
  }
}
