import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

@Suite struct DriftStatisticTests {
  private static let tolerance = 1e-6

  @Test func `Bins have equally many values, as in NumPy`() throws {
    let goldens = try MonitoringGoldens.read()
    let edges = DriftStatistic.innerEdges(of: goldens.a, bins: 5)
    #expect(isClose(edges, to: goldens.edges, within: Self.tolerance))
    #expect(DriftStatistic.counts(of: goldens.a, edges) == goldens.countsA)
    #expect(DriftStatistic.counts(of: goldens.b, edges) == goldens.countsB)
  }

  @Test func `The stability index counts an empty bin as a small fraction`() throws {
    let goldens = try MonitoringGoldens.read()
    let index = DriftStatistic.populationStability(goldens.countsA, goldens.countsB)
    #expect(isClose(index, to: goldens.psi, within: Self.tolerance))
    let empty = DriftStatistic.populationStability([5, 5, 0], [4, 4, 2])
    #expect(isClose(empty, to: goldens.psiWithEmptyBin, within: Self.tolerance))
    #expect(DriftStatistic.populationStability([1, 1], [0, 0]) == 0)
  }

  @Test func `The distance of distribution functions matches SciPy`() throws {
    let goldens = try MonitoringGoldens.read()
    let result = try #require(DriftStatistic.kolmogorovSmirnov(goldens.a, goldens.b))
    #expect(isClose(result.distance, to: goldens.ks[0], within: Self.tolerance))
    #expect(isClose(result.probability, to: goldens.ks[1], within: 1e-8))
    let bound = DriftStatistic.kolmogorovSmirnov(counts: goldens.countsA, goldens.countsB)
    #expect(isClose(bound?.distance ?? 0, to: goldens.ksFromCounts, within: Self.tolerance))
    let equal = DriftStatistic.kolmogorovSmirnov(goldens.a, goldens.a)
    #expect(equal?.distance == 0 && equal?.probability == 1)
    #expect(DriftStatistic.kolmogorovSmirnov([], goldens.a) == nil)
    #expect(DriftStatistic.kolmogorovSmirnov(counts: [0, 0], [1, 1]) == nil)
  }

  @Test func `The discrepancy of vectors is that of the reference, and its probability is seeded`()
    throws
  {
    let goldens = try MonitoringGoldens.read()
    let result = try #require(MeanDiscrepancy(goldens.mmdX, goldens.mmdY))
    #expect(isClose(result.value, to: goldens.mmd2Unbiased, within: Self.tolerance))
    #expect(isClose(result.width, to: goldens.mmdSigma, within: Self.tolerance))
    #expect(result.probability < 0.05 && result.probability > 0)
    #expect(
      MeanDiscrepancy(goldens.mmdX, goldens.mmdY)?.probability == result.probability)
    let same = try #require(
      MeanDiscrepancy(Array(goldens.mmdX.prefix(6)), Array(goldens.mmdX.dropFirst(6))))
    #expect(same.probability > 0.05)
  }

  @Test(
    arguments: [
      ([], [[1, 2], [2, 3]]), ([[1, 2]], [[1, 2], [2, 3]]), ([[1, 2], [3]], [[1, 2], [2, 3]]),
      ([[1, 1], [1, 1]], [[1, 1], [1, 1]]), ([[.nan, 1], [1, 1]], [[1, 2], [2, 3]]),
    ] as [([[Float]], [[Float]])])
  func `Vectors without a distance have no discrepancy`(_ first: [[Float]], _ second: [[Float]]) {
    #expect(MeanDiscrepancy(first, second) == nil)
  }

  @Test func `A value on an edge is in the bin on its right`() {
    #expect([0.9, 1, 1.5, 2, 7].map { DriftStatistic.bin(of: $0, [1, 2]) } == [0, 1, 1, 2, 2])
    #expect(DriftStatistic.bin(of: 3, []) == 0)
  }

  @Test func `Values above and below a constant column are in other bins`() {
    let edges = DriftStatistic.innerEdges(of: [5, 5, 5, 5])
    #expect(DriftStatistic.counts(of: [5, 5], edges) == [0, 2, 0])
    #expect(DriftStatistic.counts(of: [4, 6, .nan, .infinity], edges) == [1, 0, 1])
    #expect(DriftStatistic.innerEdges(of: []).isEmpty)
  }

  @Test func `Chance explains the index of small samples of the same distribution only`() {
    let reference = [Int](repeating: 100, count: 10)
    // The 0.95 quantile of chi-squared with 9 degrees of freedom is 16.919.
    let many = DriftStatistic.stabilityOfChance(reference, count: 100_000)
    #expect(isClose(many, to: 16.919 * (1.0 / 1000 + 1.0 / 100_000), within: 1e-4))
    let few = DriftStatistic.stabilityOfChance(reference, count: 20)
    #expect(few > 0.8 && few < 3)
    #expect(DriftStatistic.stabilityOfChance([3, 0], count: 1) == 0)
    #expect(DriftStatistic.stabilityOfChance([0, 0], count: 1) == .infinity)
  }
}
