/// Finds the value at which the least scores reach a mass, in linear time and without sorting.
struct ScoreSelection {
  private static let bucketBits: UInt64 = 11
  private var masses = [Double](repeating: 0, count: 1 << Int(bucketBits))
  private var active: [Int32] = []
  private var rest: [Int32] = []

  /// Returns the number of a value, which has the order of the values.
  static func key(of value: Double) -> UInt64 {
    // Negative zero equals zero.
    let bits = (value + 0).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
  }

  /// The value at which a mass is reached.
  struct Boundary {
    /// The number of the value; all values below are within the mass.
    let key: UInt64
    /// The mass of the values below.
    let massBelow: Double
  }

  /// Returns the least value at which the sum of the weights of it and all values below exceeds a mass, or the greatest
  /// value.
  ///
  /// - Parameters:
  ///   - values: The values.
  ///   - weights: The weight of each value; `nil` if each one counts 1.
  ///   - mass: The mass.
  ///   - reaches: Whether a sum that equals the mass is enough.
  /// - Returns: The value.
  mutating func boundary(
    of values: [Double], weights: [Double]?, mass: Double, reaches: Bool = false
  ) -> Boundary {
    active.removeAll(keepingCapacity: true)
    for index in values.indices { active.append(Int32(truncatingIfNeeded: index)) }
    var below = 0.0
    var key: UInt64 = 0
    var shift: UInt64 = 64
    while shift > 0 {
      let bits = min(Self.bucketBits, shift)
      shift -= bits
      let mask: UInt64 = 1 << bits - 1
      for bucket in 0...Int(mask) { masses[bucket] = 0 }
      var last = 0
      for index in active {
        let bucket = Int(truncatingIfNeeded: Self.key(of: values[Int(index)]) >> shift & mask)
        if let weights { masses[bucket] += weights[Int(index)] } else { masses[bucket] += 1 }
        last = max(last, bucket)
      }
      var bucket = 0
      while bucket < last {
        let sum = below + masses[bucket]
        guard reaches ? sum < mass : sum <= mass else { break }
        below = sum
        bucket += 1
      }
      key = key << bits | UInt64(bucket)
      rest.removeAll(keepingCapacity: true)
      for index in active
      where Int(truncatingIfNeeded: Self.key(of: values[Int(index)]) >> shift & mask) == bucket {
        rest.append(index)
      }
      swap(&active, &rest)
      if active.count == 1 {
        return Boundary(key: Self.key(of: values[Int(active[0])]), massBelow: below)
      }
    }
    return Boundary(key: key, massBelow: below)
  }
}
