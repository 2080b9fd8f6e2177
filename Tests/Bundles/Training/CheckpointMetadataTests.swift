import Testing

@testable import TensorIOJSON
@testable import TensorIOTraining

/// The `training.json` of a checkpoint.
@Suite struct CheckpointMetadataTests {
  private let configuration = TrainingConfiguration(
    seed: .max, itemCount: 360, batchSize: 32, shuffles: true, keepsLastBatch: false,
    validationFraction: 0.1)

  @Test(arguments: [[:], ["loss": 0.1], ["loss": 1.0 / 3, "accuracy": 1e-300, "error": 7]])
  func `Metadata is read back bit for bit`(_ sums: [String: Double]) throws {
    let record = CheckpointMetadata(
      configuration: configuration,
      progress: TrainingProgress(
        step: 12, means: RunningMeans(sums: sums, itemCount: 384),
        best: TrainingProgress.Best(loss: 0.1 + 0.2, step: 11), epochsWithoutImprovement: 1,
        isAtEpochEnd: true),
      fileSizes: ["weights.index": 10, "weights.data": 4096])
    let read = try CheckpointMetadata(JSONDocument(parsing: record.json).root)
    #expect(read == record)
  }

  @Test func `Means are written in the order of their names`() throws {
    let record = CheckpointMetadata(
      configuration: configuration,
      progress: TrainingProgress(
        means: RunningMeans(sums: ["loss": 1, "accuracy": 2, "error": 3], itemCount: 1)),
      fileSizes: [:])
    let node = try JSONDocument(parsing: record.json).root
    #expect(node["epoch_sums"]?.members?.map(\.name) == ["accuracy", "error", "loss"])
  }
}
