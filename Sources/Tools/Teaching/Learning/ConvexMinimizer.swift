/// Finds the minimum of a smooth convex function with the method of Broyden, Fletcher, Goldfarb and Shanno with limited
/// memory (Nocedal and Wright, Numerical Optimization, 7.2).
struct ConvexMinimizer {
  /// The number of steps whose curvature is remembered.
  var memory = 10
  /// The maximum number of steps.
  var maxSteps = 500
  /// The derivative at which a point is a minimum.
  var tolerance = 1e-6
  /// The relative decrease of the function below which a step is the last one.
  var leastDecrease = 1e-13

  /// A step with the change of the gradient that it caused.
  private struct Step {
    let change: [Double]
    let gradientChange: [Double]
    let curvature: Double
  }

  /// Returns the point with the smallest value.
  ///
  /// - Parameters:
  ///   - start: The point to start from.
  ///   - function: Returns the value at a point and writes its gradient, which has as many elements.
  /// - Returns: The point.
  func minimum(
    from start: [Double], _ function: (_ point: [Double], _ gradient: inout [Double]) -> Double
  ) -> [Double] {
    var (point, gradient) = (start, [Double](repeating: 0, count: start.count))
    var value = function(point, &gradient)
    var steps: [Step] = []
    for _ in 0..<maxSteps {
      guard (gradient.lazy.map(\.magnitude).max() ?? 0) > tolerance else { break }
      var direction = Self.direction(gradient, steps)
      var slope = Self.product(direction, gradient)
      if !(slope < 0) {
        // Rounding errors can make the memory useless near the minimum.
        steps = []
        direction = gradient.map { -$0 }
        slope = -Self.product(gradient, gradient)
      }
      var size = steps.isEmpty ? 1 / max(1, (-slope).squareRoot()) : 1
      var (next, nextGradient) = (point, gradient)
      var nextValue = value
      var isLower = false
      for _ in 0..<40 {
        for index in point.indices { next[index] = point[index] + size * direction[index] }
        nextValue = function(next, &nextGradient)
        if nextValue <= value + 1e-4 * size * slope {
          isLower = true
          break
        }
        size /= 2
      }
      guard isLower else { break }
      let change = zip(next, point).map { $0 - $1 }
      let gradientChange = zip(nextGradient, gradient).map { $0 - $1 }
      let curvature = Self.product(change, gradientChange)
      if curvature > 0 {
        steps.append(Step(change: change, gradientChange: gradientChange, curvature: curvature))
        if steps.count > memory { steps.removeFirst() }
      }
      let decrease = value - nextValue
      (point, gradient, value) = (next, nextGradient, nextValue)
      guard decrease > leastDecrease * max(1, value.magnitude) else { break }
    }
    return point
  }

  /// Returns the direction of the next step: the negative gradient times an estimate of the inverse of the curvature.
  private static func direction(_ gradient: [Double], _ steps: [Step]) -> [Double] {
    var direction = gradient.map { -$0 }
    var factors: [Double] = []
    for step in steps.reversed() {
      let factor = product(step.change, direction) / step.curvature
      factors.append(factor)
      add(-factor, step.gradientChange, to: &direction)
    }
    if let last = steps.last {
      let scale = last.curvature / product(last.gradientChange, last.gradientChange)
      for index in direction.indices { direction[index] *= scale }
    }
    for (step, factor) in zip(steps, factors.reversed()) {
      let other = product(step.gradientChange, direction) / step.curvature
      add(factor - other, step.change, to: &direction)
    }
    return direction
  }

  private static func product(_ left: [Double], _ right: [Double]) -> Double {
    Matrix.product(left, 0, right, 0, left.count)
  }

  private static func add(_ factor: Double, _ summand: [Double], to sum: inout [Double]) {
    for index in sum.indices { sum[index] += factor * summand[index] }
  }
}
