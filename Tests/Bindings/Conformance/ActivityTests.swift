import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Sections with speech of a tiny model with a state, written by `Scripts/fixtures/onnx-models/activity.py`.
@Suite(.serialized, .ownThreads) struct ActivityTests {
  private static let path = ProjectFiles.path("Tests/Fixtures/Bundles/activity.tiobundle")
  private static let speech = ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle")
  private static let levels: [Isolation.Level?] = [nil, .process, .sandbox]

  private let sound: AudioBuffer
  private let probabilities: [Double]
  private let sections: [[Double]]
  private let longSections: [[Double]]

  init() throws {
    let tree = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/activity.json"))
    let samples = tree["samples"]?.numbers ?? []
    sound = try AudioBuffer(samples: samples.map { Float($0 / 32768) }, sampleRate: 1600)
    probabilities = tree["probabilities"]?.numbers ?? []
    sections = (tree["sections"]?.array ?? []).compactMap(\.numbers)
    longSections = (tree["long"]?.array ?? []).compactMap(\.numbers)
  }

  private func model(_ level: Isolation.Level? = nil) throws -> Model {
    try Model(
      at: Self.path, options: OpeningOptions(isolation: level.map { Isolation(level: $0) }))
  }

  private func expect(_ activity: Activity, like sections: [[Double]]) {
    #expect(activity.segments.map { [$0.start, $0.end] } == sections)
    #expect(activity.probabilities.count == probabilities.count && activity.hop == 0.04)
    for (probability, expected) in zip(activity.probabilities, probabilities) {
      #expect(abs(Double(probability) - expected) < 1e-5)
    }
  }

  @Test(arguments: levels)
  func `Sections are those of numpy, in a run and window by window`(
    _ level: Isolation.Level?
  ) throws {
    #expect(sections.count == 2 && longSections.count == 2)
    let model = try model(level)
    for _ in 0..<2 {
      expect(try model.run(sound).activity, like: sections)
      expect(try model.activity(in: sound), like: sections)
    }
    expect(try model.activity(in: sound) { $0 = $0.forTranscription }, like: longSections)
  }

  @Test func `The example bundle finds the words of a recording, and none in other sounds`() throws
  {
    let example = ProjectFiles.path("Examples/Bundles/speech-activity.tiobundle")
    let model = try Model(at: example)
    func sections(_ sample: String) throws -> Int {
      let sound = try AudioBuffer(contentsOf: "\(example)/samples/\(sample).wav")
      return try model.run(sound).activity.segments.count
    }
    #expect(try sections("digits") == 4)
    #expect(try sections("sounds") == 0)
  }

  @Test func `Sound of any length, rate and number of channels has sections`() throws {
    let model = try model()
    for count in [0, 1, 16, 63, 64, 65, 1600] {
      let sound = try AudioBuffer(samples: [Float](repeating: 0.5, count: count), sampleRate: 1600)
      let activity = try model.activity(in: sound)
      #expect(activity.probabilities.count == (count + 63) / 64)
      if count > 0 { #expect(try model.run(sound).activity == activity) }
    }
    let samples = (0..<16_000 * 2).map { Float(sin(Double($0 / 2) / 30)) }
    let other = try AudioBuffer(samples: samples, sampleRate: 16_000, channelCount: 2)
    #expect(try model.activity(in: other).segments.map(\.end) == [1])
  }

  @Test func `A model without the task has no sections`() throws {
    let other = try Model(at: ProjectFiles.path("Tests/Fixtures/Bundles/captions.tiobundle"))
    #expect(throws: ModelError.self) { try other.activity(in: sound) }
  }

  // MARK: Transcripts of sections

  @Test func `Segments of a transcript begin in the sections`() throws {
    let model = try Model(at: Self.speech)
    func transcript(_ sections: [Activity.Segment]?) throws -> Transcript {
      try model.transcribe(sound) {
        ($0.language, $0.temperatures, $0.silenceThreshold) = ("en", [0], nil)
        $0.sections = sections
      }.result()
    }
    let activity = try self.model().activity(in: sound)
    let found = try transcript(activity.segments)
    #expect(!found.segments.isEmpty)
    for segment in found.segments {
      let seek = Double(segment.seek) / 100
      #expect(
        activity.segments.contains { $0.start - 0.01 <= seek && seek < $0.end },
        "\(segment.seek)")
      #expect(segment.start >= seek)
    }
    #expect(Set(found.segments.map(\.seek)).isSuperset(of: [93, 661]), "both sections")
    #expect(found.duration == sound.duration)
    let whole = try transcript(nil)
    #expect(try transcript([Activity.Segment(start: 0, end: 1000)]) == whole)
    #expect(try transcript([]).segments.isEmpty)
    #expect(try transcript([Activity.Segment(start: 100, end: 200)]).segments.isEmpty)
    #expect(try transcript([Activity.Segment(start: 1, end: 1)]).segments.isEmpty)
  }

  @Test func `Words of the shortest sound have times`() throws {
    let model = try Model(at: Self.speech)
    let transcript = try model.transcribe(sound) {
      ($0.language, $0.temperatures, $0.silenceThreshold) = ("en", [0], nil)
      $0.hasWords = true
      $0.sections = [Activity.Segment(start: 1, end: 1.01)]
    }.result()
    #expect(transcript.segments.flatMap(\.words).allSatisfy { $0.start >= 1 && $0.end >= $0.start })
  }

  @Test func `Sections that are not in order are errors`() throws {
    let model = try Model(at: Self.speech)
    for times in [[(2, 1)], [(-1, 1)], [(1, 3), (2, 4)], [(0, .infinity)], [(.nan, 1)]]
      as [[(Double, Double)]]
    {
      let error = #expect(throws: ModelError.self) {
        try model.transcribe(sound) {
          $0.sections = times.map { Activity.Segment(start: $0.0, end: $0.1) }
        }
      }
      #expect(error?.stage == .input)
    }
    let options = try TranscriptionOptions(
      for: model, parsing: #"{"sections": [[0.5, 1], [2, 3]]}"#)
    #expect(
      options.sections == [
        Activity.Segment(start: 0.5, end: 1), Activity.Segment(start: 2, end: 3),
      ])
    #expect(try TranscriptionOptions(for: model, parsing: #"{"sections": []}"#).sections == [])
    #expect(try TranscriptionOptions(for: model, parsing: "{}").sections == nil)
    for json in [#"{"sections": [[1]]}"#, #"{"sections": [1, 2]}"#, #"{"sections": [["a", 2]]}"#] {
      #expect(throws: ModelError.self) { try TranscriptionOptions(for: model, parsing: json) }
    }
  }

  @Test func `The command transcribes the sections that a model finds`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/talk.wav"
    try sound.write(to: path)
    let command = ["transcribe", Self.speech, path, "--format", "json", "--language", "en"]
    let result = TestConsole.run(command + ["--activity", Self.path])
    #expect(result.exitCode == 0, "\(result)")
    let sections = try model().activity(in: sound) { $0 = $0.forTranscription }.segments
    let expected = try Model(at: Self.speech).transcribe(sound) {
      ($0.language, $0.sections) = ("en", sections)
    }.result()
    #expect(
      try JSONTree(result.output)["segments"]?.array?.map { $0["start"]?.number }
        == expected.segments.map(\.start))
    let silence = folder.path + "/silence.wav"
    try AudioBuffer(samples: [Float](repeating: 0, count: 8000), sampleRate: 1600).write(
      to: silence)
    let empty = TestConsole.run(["transcribe", Self.speech, silence, "--activity", Self.path])
    #expect(empty.exitCode == 0 && empty.output.isEmpty, "\(empty)")
    let other = TestConsole.run(command + ["--activity", Self.speech])
    #expect(other.exitCode != 0 && !other.messages.isEmpty)
  }
}
