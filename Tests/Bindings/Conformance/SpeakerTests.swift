import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

/// Vectors of voices of a tiny embedder, written by `Scripts/fixtures/onnx-models/voices.py`.
@Suite(.serialized, .ownThreads) struct SpeakerTests {
  private static let path = ProjectFiles.path("Tests/Fixtures/Bundles/speaker.tiobundle")

  private struct Golden {
    let name: String
    let sound: AudioBuffer
    let embedding: [Double]
  }

  private let golden: [Golden]

  init() throws {
    let tree = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/voices.json"))
    golden = try (tree["speakers"]?.array ?? []).map { one in
      let samples = (one["samples"]?.array ?? []).compactMap(\.number)
      return Golden(
        name: one["name"]?.string ?? "",
        sound: try AudioBuffer(samples: samples.map { Float($0 / 32768) }, sampleRate: 1600),
        embedding: one["embedding"]?.numbers ?? [])
    }
  }

  @Test func `Vectors are the means of the directions of windows, as numpy has them`() throws {
    let model = try Model(at: Self.path)
    #expect(golden.count == 4)
    for golden in golden {
      let values = try model.run(golden.sound).embedding.values
      #expect(values.count == golden.embedding.count)
      for (value, expected) in zip(values, golden.embedding) {
        #expect(abs(Double(value) - expected) < 1e-4, "\(golden.name)")
      }
    }
  }

  @Test func `A gallery enrolls, recognizes and verifies voices`() throws {
    let folder = try TemporaryFolder()
    for golden in golden { try golden.sound.write(to: "\(folder.path)/\(golden.name).wav") }
    func gallery(_ words: String...) -> CommandResult {
      TestConsole.run(
        ["gallery"] + words + ["--bundle", Self.path, "--gallery", folder.path + "/voices.sqlite"])
    }
    for name in ["low", "high"] {
      let enrolled = gallery("enroll", name, "\(folder.path)/\(name)-1.wav")
      #expect(enrolled.exitCode == 0, "\(enrolled.messages)")
    }
    for (name, other) in [("low", "high"), ("high", "low")] {
      let recognized = gallery("recognize", "\(folder.path)/\(name)-2.wav")
      #expect(recognized.exitCode == 0 && recognized.output.contains(name))
      #expect(!recognized.output.contains("  \(other)"))
      #expect(gallery("verify", name, "\(folder.path)/\(name)-2.wav").exitCode == 0)
      #expect(gallery("verify", other, "\(folder.path)/\(name)-2.wav").exitCode == 1)
    }
  }
}
