import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

/// Published models for sound and text, opened from their metadata alone.
@Suite struct SoundAndTextFixtureTests {
  private static let yamnet = "tasks/yamnet_audio_classifier_with_metadata.tflite"
  private static let sentiment = "tasks/test_model_nl_classifier_with_regex_tokenizer.tflite"

  private static func isAvailable(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: SharedFixtures.path(name))
  }

  /// Returns the path of the bundle that `tensorio init` drafts, which needs no review.
  private static func draft(_ name: String, in folder: TemporaryFolder) throws -> String {
    let path = "\(folder.path)/model.tiobundle"
    let result = TestConsole.run(["init", SharedFixtures.path(name), "--output", path])
    #expect(result.exitCode == 0, "\(result)")
    #expect(result.output.contains("No values need review."), "\(result)")
    return path
  }

  @Test(.enabled(if: isAvailable(yamnet))) func `YAMNet hears speech in each window`() throws {
    let folder = try TemporaryFolder()
    let model = try Model(at: Self.draft(Self.yamnet, in: folder))
    let speech = try AudioBuffer(contentsOf: SharedFixtures.path("tasks/speech.wav"))
    let output = try model.run(speech)
    #expect(output.windows.count == 5)
    #expect(
      output.windows.dropLast().allSatisfy {
        $0.layers[0].value.classification?[0].score ?? 0 > 0.9
      })
    #expect(try output.classes.first?.label == "Speech")
    #expect(try output.timeline.first?.label == "Speech")
    // The published score is that of the last 15,600 samples.
    let end = try AudioBuffer(
      samples: Array(speech.samples.suffix(15_600)), sampleRate: speech.sampleRate)
    let score = try #require(model.run(end).classes.first?.score)
    #expect(abs(score - 0.957031) < 1e-6)
  }

  @Test(.enabled(if: isAvailable(sentiment))) func `A sentence has its published scores`() throws {
    let folder = try TemporaryFolder()
    let model = try Model(at: Self.draft(Self.sentiment, in: folder))
    let classes = try model.run("What a waste of my time.").classes
    #expect(classes.map(\.label) == ["Negative", "Positive"])
    #expect(abs(classes[0].score - 0.813130) < 1e-6)
    #expect(abs(classes[1].score - 0.186870) < 1e-6)
  }
}
