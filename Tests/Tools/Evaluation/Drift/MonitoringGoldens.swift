import Foundation
import TensorIOTestSupport

/// Numbers that NumPy, SciPy and scikit-learn agree on.
struct MonitoringGoldens: Decodable {
  let a, b, edges: [Double]
  let countsA, countsB: [Int]
  let psi, psiWithEmptyBin: Double
  let ks: [Double]
  let ksFromCounts: Double
  let mmdX, mmdY: [[Float]]
  let mmdSigma, mmd2Unbiased: Double
  let image, occlusion: [[Double]]
  let score: Double
  let riseMasks: [[[Double]]]
  let rise: [[Double]]
  let shapley: Shapley

  struct Shapley: Decodable {
    let item, background, values: [Double]
  }

  private enum CodingKeys: String, CodingKey {
    case a, b, edges, psi, ks, image, score, rise, shapley
    case countsA = "counts_a"
    case countsB = "counts_b"
    case psiWithEmptyBin = "psi_with_empty_bin"
    case ksFromCounts = "ks_from_counts"
    case mmdX = "mmd_x"
    case mmdY = "mmd_y"
    case mmdSigma = "mmd_sigma"
    case mmd2Unbiased = "mmd2_unbiased"
    case occlusion = "occlusion_window_3_stride_2"
    case riseMasks = "rise_masks"
  }

  static func read() throws -> MonitoringGoldens {
    let path = ProjectFiles.path("Tests/Fixtures/Monitoring/goldens.json")
    return try JSONDecoder().decode(
      MonitoringGoldens.self, from: Data(contentsOf: URL(filePath: path)))
  }
}
