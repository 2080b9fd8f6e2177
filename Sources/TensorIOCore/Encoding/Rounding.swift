/// How fractions become stored integers, everywhere: halves go down, and what lies beyond the
/// type takes its nearest value.
///
/// The documents of the format say 0.5 → 127 for the range 0 to 1, and this is the rounding that
/// does so and still returns every byte of a ramp exactly. `Documentation/Decisions` has the story.
extension FixedWidthInteger {
  /// The nearest value of the type; a value that is not a number becomes zero.
  @inline(__always)
  init(storing value: Float) {
    guard value == value else {
      self = 0
      return
    }
    let rounded = value.roundedHalfDown
    if rounded <= Float(Self.min) {
      self = .min
    } else if rounded >= Float(Self.max) {
      self = .max
    } else {
      self = Self(rounded)
    }
  }
}

extension BinaryFloatingPoint {
  /// The nearest whole number; halves go down.
  ///
  /// The distance to the nearest is exact, unlike `self - 0.5`, which is rounded itself where
  /// numbers are so large or so small that half a step is lost.
  @inline(__always)
  var roundedHalfDown: Self {
    let nearest = rounded(.toNearestOrEven)
    return nearest - self == 0.5 ? nearest - 1 : nearest
  }
}
