internal import Synchronization
internal import TensorIOAnswers
internal import TensorIOCore

/// What the person has chosen; what is `nil` is left to the program.
package struct StudioChoice: Sendable, Hashable {
  /// How many threads a run may use.
  package var threads: Int?
  /// How many labels are shown.
  package var top: Int?
  /// The name of the model that is shown first.
  package var model: String?

  /// Nothing is chosen.
  package init(threads: Int? = nil, top: Int? = nil, model: String? = nil) {
    (self.threads, self.top, self.model) = (threads, top, model)
  }

  /// How many threads a run uses now.
  package var usedThreads: Int { threads ?? ThreadCount.standard }

  /// How many labels are shown now.
  package var shownLabels: Int { top ?? AnswerDrawing.usualLabels }
}

/// The choice that holds now, for all threads.
package final class StudioSettings: Sendable {
  private let choice: Mutex<StudioChoice>

  /// Settings with what was chosen before.
  package init(_ choice: StudioChoice = StudioChoice()) { self.choice = Mutex(choice) }

  /// What is chosen now; whoever sets it changes it for all.
  package var current: StudioChoice {
    get { choice.withLock(\.self) }
    set { choice.withLock { $0 = newValue } }
  }
}
