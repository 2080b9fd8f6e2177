/// The affine function that a model applies to the numbers of an input before anything else:
/// `scale · x + offset`.
///
/// It shows which numbers the model expects. Models with a rescaling layer take pixels from 0 to
/// 255.
package struct InputRescaling: Sendable, Hashable {
  /// The factors, one for all channels or one per channel.
  package private(set) var scale: [Float] = [1]
  /// The terms, one for all channels or one per channel.
  package private(set) var offset: [Float] = [0]

  /// The interval of results that the model stores as bytes; `nil` if it does not do that.
  package var storedInterval: ClosedRange<Float>?

  /// Creates the function that changes nothing.
  package init() {}

  /// An arithmetic operation with a constant.
  package enum Operation: Sendable {
    case add, subtract, multiply, divide
  }

  /// Applies an operation to the result.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - constant: The second operand: one number, or one per channel.
  ///   - isReversed: Whether the constant is the first operand instead.
  /// - Returns: Whether the result is still an affine function with finite numbers.
  package mutating func apply(
    _ operation: Operation, _ constant: [Float], isReversed: Bool = false
  ) -> Bool {
    let counts = Set([scale.count, offset.count, constant.count].filter { $0 != 1 })
    guard !constant.isEmpty, counts.count <= 1 else { return false }
    switch operation {
    case .add: offset = Self.combine(offset, constant, +)
    case .subtract where isReversed:
      (scale, offset) = (scale.map { -$0 }, Self.combine(constant, offset, -))
    case .subtract: offset = Self.combine(offset, constant, -)
    case .multiply:
      (scale, offset) = (Self.combine(scale, constant, *), Self.combine(offset, constant, *))
    case .divide:
      guard !isReversed else { return false }
      (scale, offset) = (Self.combine(scale, constant, /), Self.combine(offset, constant, /))
    }
    return (scale + offset).allSatisfy(\.isFinite)
  }

  private static func combine(
    _ left: [Float], _ right: [Float], _ operation: (Float, Float) -> Float
  ) -> [Float] {
    (0..<max(left.count, right.count)).map { index in
      operation(left[left.count == 1 ? 0 : index], right[right.count == 1 ? 0 : index])
    }
  }

  /// Returns the interval of the results for an interval of inputs, over all channels.
  package func range(of inputs: ClosedRange<Float>) -> ClosedRange<Float> {
    let ends = [inputs.lowerBound, inputs.upperBound].flatMap { input in
      Self.combine(scale, offset) { $0 * input + $1 }
    }
    return (ends.min() ?? 0)...(ends.max() ?? 0)
  }

  /// Whether the function changes nothing.
  package var isIdentity: Bool { scale.allSatisfy { $0 == 1 } && offset.allSatisfy { $0 == 0 } }
}
