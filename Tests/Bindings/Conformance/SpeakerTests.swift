import Foundation
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

  /// The models have random weights: what matters is that segments of one transcript get speakers in order.
  @Test func `Transcripts name the speaker of each segment`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/talk.wav"
    let samples = golden.flatMap(\.sound.samples)
    try AudioBuffer(samples: samples, sampleRate: 1600).write(to: path)
    let bundle = ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle")
    let command = ["transcribe", bundle, path, "--format", "json"]
    let plain = try JSONTree(TestConsole.run(command).output)["segments"]?.array ?? []
    #expect(!plain.isEmpty && plain.allSatisfy { $0["speaker"] == nil })
    let result = TestConsole.run(command + ["--speakers", Self.path])
    #expect(result.exitCode == 0, "\(result)")
    let segments = try JSONTree(result.output)["segments"]?.array ?? []
    #expect(segments.map { $0["text"] } == plain.map { $0["text"] })
    #expect(segments.first?["speaker"]?.string == "Speaker 1")
    #expect(segments.allSatisfy { $0["speaker"]?.string?.hasPrefix("Speaker ") == true })
    let one = TestConsole.run(
      command + ["--speakers", Self.path, "--speaker-similarity", "-1"])
    let names = try JSONTree(one.output)["segments"]?.array?.map { $0["speaker"]?.string }
    #expect(Set(names ?? []) == ["Speaker 1"])
    #expect(TestConsole.run(command + ["--speaker-similarity", "0.5"]).exitCode == 2)
    let other = TestConsole.run(command + ["--speakers", bundle])
    #expect(other.exitCode != 0 && !other.messages.isEmpty)
  }

  @Test func `Vectors of sounds are evaluated by the equal error rate`() throws {
    let folder = try TemporaryFolder()
    for golden in golden {
      let name = golden.name.split(separator: "-")[0]
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
      try golden.sound.write(to: "\(folder.path)/\(name)/\(golden.name).wav")
    }
    let result = TestConsole.run(["evaluate", Self.path, folder.path, "--format", "json"])
    let metrics = try JSONTree(result.output).array?.first?["metrics"]
    #expect(metrics?["eer"]?.number == 0, "\(result)")
    #expect(metrics?["rank1_accuracy"]?.number == 1)
  }
}
