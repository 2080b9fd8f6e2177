import TensorIOSystem

/// The squared maximum mean discrepancy of two samples of vectors, unbiased, with a Gaussian kernel.
///
/// It is 0 for equal distributions, and at most 2.
struct MeanDiscrepancy: Sendable {
  /// The squared discrepancy, which chance makes slightly negative too.
  let value: Double
  /// The width of the kernel: the median distance of all pairs.
  let width: Double
  /// The fraction of random divisions of all vectors into two samples that differ at least as much, with the given
  /// division among them.
  let probability: Double

  /// Computes the discrepancy; `nil` for samples of less than two vectors, of different lengths, or of equal vectors only.
  init?(
    _ first: [[Float]], _ second: [[Float]],
    permutations: Int = DriftStatistic.permutationCount
  ) {
    let all = first + second
    let (n, m) = (first.count, second.count)
    guard n > 1, m > 1, let length = all.first?.count, length > 0,
      all.allSatisfy({ $0.count == length })
    else { return nil }
    var kernel = Self.squaredDistances(all)
    guard let width = Self.median(of: kernel, all.count), width > 0 else { return nil }
    self.width = width
    for index in kernel.indices { kernel[index] = exp(-kernel[index] / (2 * width * width)) }
    var isFirst = [Bool](repeating: false, count: n + m)
    for index in 0..<n { isFirst[index] = true }
    let value = Self.discrepancy(kernel, isFirst, n, m)
    self.value = value
    let order = Array(0..<n + m)
    let larger = (0..<permutations).count { stream in
      let permuted = order.permuted(
        by: SplitMix64(seed: DriftStatistic.seed, stream: UInt64(stream)))
      var isFirst = [Bool](repeating: false, count: n + m)
      for index in permuted.prefix(n) { isFirst[index] = true }
      // Sums in another order differ in their last digits.
      return Self.discrepancy(kernel, isFirst, n, m) >= value - 1e-12
    }
    probability = Double(larger + 1) / Double(permutations + 1)
  }

  /// Returns the squared distances of all pairs, row by row.
  private static func squaredDistances(_ vectors: [[Float]]) -> [Double] {
    let count = vectors.count
    var distances = [Double](repeating: 0, count: count * count)
    for row in 0..<count {
      for column in 0..<row {
        var sum = 0.0
        for (a, b) in zip(vectors[row], vectors[column]) {
          let difference = Double(a) - Double(b)
          sum += difference * difference
        }
        distances[row * count + column] = sum
        distances[column * count + row] = sum
      }
    }
    return distances
  }

  /// Returns the median distance of all pairs; `nil` if a distance is not finite.
  private static func median(of distances: [Double], _ count: Int) -> Double? {
    var pairs: [Double] = []
    pairs.reserveCapacity(count * (count - 1) / 2)
    for row in 0..<count {
      for column in 0..<row { pairs.append(distances[row * count + column].squareRoot()) }
    }
    guard pairs.allSatisfy(\.isFinite) else { return nil }
    return pairs.sorted().quantile(0.5)
  }

  private static func discrepancy(
    _ kernel: [Double], _ isFirst: [Bool], _ n: Int, _ m: Int
  ) -> Double {
    var (within, across, other) = (0.0, 0.0, 0.0)
    let count = n + m
    for row in 0..<count {
      let start = row * count
      for column in 0..<row {
        let value = kernel[start + column]
        if isFirst[row] != isFirst[column] {
          across += value
        } else if isFirst[row] {
          within += value
        } else {
          other += value
        }
      }
    }
    return 2 * within / (Double(n) * Double(n - 1)) + 2 * other / (Double(m) * Double(m - 1))
      - 2 * across / (Double(n) * Double(m))
  }
}
