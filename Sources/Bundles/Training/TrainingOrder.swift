import TensorIOSystem

/// The order of items in training and the selection of items for validation.
///
/// It is derived from its parameters only, so that a resumed training continues identically on any
/// machine.
struct TrainingOrder: Sendable, Equatable {
  /// The items for training.
  let training: [Int]
  /// The items for validation, which are never trained on.
  let validation: [Int]
  private let seed: UInt64
  private let isShuffled: Bool

  /// Creates an order.
  ///
  /// The items for validation are the end of a permutation of all items.
  init(count: Int, validationFraction: Double, seed: UInt64, isShuffled: Bool) {
    self.seed = seed
    self.isShuffled = isShuffled
    let validationCount = Self.validationCount(validationFraction, of: count)
    guard validationCount > 0 else {
      (training, validation) = (Array(0..<count), [])
      return
    }
    let permutation = Array(0..<count).permuted(by: SplitMix64(seed: seed, stream: 0))
    training = permutation.dropLast(validationCount).sorted()
    validation = permutation.suffix(validationCount).sorted()
  }

  private static func validationCount(_ fraction: Double, of count: Int) -> Int {
    let items = (min(max(0, fraction), 1) * Double(count)).rounded()
    return Int(exactly: items) ?? 0
  }

  /// Returns the training items of an epoch, counted from 0, in order.
  func items(ofEpoch epoch: Int) -> [Int] {
    guard isShuffled else { return training }
    return training.permuted(by: SplitMix64(seed: seed, stream: UInt64(clamping: epoch) &+ 1))
  }
}
