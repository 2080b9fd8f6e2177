import TensorIOCore
import Testing

@testable import TensorIOJSON
@testable import TensorIOTraining

/// The means of an epoch's outputs.
@Suite struct RunningMeansTests {
  private func output(_ values: [String: LayerValue]) -> ModelOutput {
    ModelOutput(layers: values.map { .init(name: $0.key, value: $0.value) })
  }

  private var means: RunningMeans {
    var means = RunningMeans()
    means.add(output(["loss": 1.layerValue, "accuracy": 0.5.layerValue]), items: 4)
    means.add(output(["loss": 4.layerValue, "accuracy": "unknown".layerValue]), items: 2)
    return means
  }

  @Test func `An output without a number in some batches has the mean of the others`() {
    #expect(means.means == ["loss": 2, "accuracy": 0.5])
    #expect(means.itemCount == 6)
  }

  @Test func `A checkpoint preserves the counts of all outputs`() throws {
    let record = CheckpointMetadata(
      configuration: TrainingConfiguration(
        seed: 1, itemCount: 6, batchSize: 4, shuffles: false, keepsLastBatch: true,
        validationFraction: 0),
      progress: TrainingProgress(step: 2, means: means), fileSizes: [:])
    let read = try CheckpointMetadata(JSONDocument(parsing: record.json).root)
    #expect(read == record && read.progress.means.means == means.means)
  }

  @Test func `The counts of an older checkpoint are those of all items`() {
    #expect(RunningMeans(sums: ["loss": 12], itemCount: 6).means == ["loss": 2])
    #expect(RunningMeans().means == [:])
  }
}
