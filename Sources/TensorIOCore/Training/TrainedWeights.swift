internal import Synchronization

/// The weights that training changes, and how often they have been changed.
///
/// One caller at a time changes or writes them, so that what is written is of one moment.
final class TrainedWeights: Sendable {
  let model: any TrainableRuntimeModel
  private let changes = Mutex(0)
  private let steps = Mutex(0)

  init(_ model: any TrainableRuntimeModel) {
    self.model = model
  }

  /// Changes the weights.
  func change(_ body: () throws(ModelError) -> Void) throws(ModelError) {
    try changes.withLock { (count) throws(ModelError) in
      // A step that failed may have changed some of them.
      count += 1
      try body()
    }
  }

  /// How many steps of training the weights have had, as far as is known.
  var stepCount: Int {
    get { steps.withLock { $0 } }
    set { steps.withLock { $0 = newValue } }
  }

  /// Takes a step of training.
  func train(_ step: () throws(ModelError) -> Void) throws(ModelError) {
    try change(step)
    steps.withLock { $0 += 1 }
  }

  /// Lets nobody change the weights meanwhile.
  func hold(_ body: (_ changes: Int) throws(ModelError) -> Void) throws(ModelError) {
    try changes.withLock { (count) throws(ModelError) in try body(count) }
  }
}
