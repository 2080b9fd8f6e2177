import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

/// Groups of segments with the same voice.
@Suite struct SpeakerClustersTests {
  /// Returns a vector near one of the axes.
  private func voice(_ axis: Int, _ random: inout SeededGenerator, noise: Float = 0.2) -> Embedding
  {
    Embedding(
      (0..<8).map { ($0 == axis ? 1 : 0) + Float.random(in: -noise...noise, using: &random) })
  }

  @Test func `Vectors of equal directions are one group, whatever their lengths`() {
    let vectors = [
      Embedding([3, 0]), Embedding([0, 1]), Embedding([0.1, 0]), Embedding([0, 9]),
    ]
    #expect(SpeakerClusters(vectors, minSimilarity: 0.65).groups == [0, 1, 0, 1])
    #expect(SpeakerClusters(vectors, minSimilarity: -1).groups == [0, 0, 0, 0])
    #expect(SpeakerClusters([], minSimilarity: 0.65).groups.isEmpty)
  }

  @Test func `Groups are those of the mean similarity of all pairs`() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<60 {
      let count = Int.random(in: 1...12, using: &random)
      let vectors = (0..<count).map { _ in
        voice(Int.random(in: 0..<3, using: &random), &random, noise: 0.6)
      }
      let limit = Double.random(in: 0.2...0.9, using: &random)
      #expect(
        SpeakerClusters(vectors, minSimilarity: limit).groups == reference(vectors, limit),
        "\(count) vectors")
    }
  }

  /// Merges the two most similar groups, comparing all pairs each time.
  private func reference(_ vectors: [Embedding], _ limit: Double) -> [Int] {
    let units = vectors.map { $0.normalized.values.map(Double.init) }
    var groups = units.indices.map { [$0] }
    func similarity(_ a: [Int], _ b: [Int]) -> Double {
      let sum = a.reduce(0.0) { sum, left in
        b.reduce(sum) { $0 + zip(units[left], units[$1]).reduce(0) { $0 + $1.0 * $1.1 } }
      }
      return sum / Double(a.count * b.count)
    }
    while true {
      var best: (Int, Int, Double)?
      for a in groups.indices {
        for b in groups.indices.dropFirst(a + 1) {
          let value = similarity(groups[a], groups[b])
          if value > best?.2 ?? -.infinity { best = (a, b, value) }
        }
      }
      guard let best, best.2 >= limit else { break }
      groups[best.0] += groups[best.1]
      groups.remove(at: best.1)
    }
    let ordered = groups.map { $0.sorted() }.sorted { $0[0] < $1[0] }
    return units.indices.map { index in ordered.firstIndex { $0.contains(index) } ?? -1 }
  }

  @Test func `Many segments of four speakers are four groups`() {
    var random = SeededGenerator(seed: 5)
    let vectors = (0..<400).map { index in voice(index % 4, &random, noise: 0.1) }
    let groups = SpeakerClusters(vectors, minSimilarity: 0.65).groups
    #expect(groups == vectors.indices.map { $0 % 4 })
  }

  @Test func `A vector of no direction, or of no numbers, is like no other`() {
    let vectors = [
      Embedding([1, 0]), Embedding([0, 0]), Embedding([.nan, .nan]), Embedding([1, 0.1]),
    ]
    #expect(SpeakerClusters(vectors, minSimilarity: 0.65).groups == [0, 1, 2, 0])
  }

  @Test func `A short segment has the speaker with the nearest voice`() throws {
    let segment = Transcript.Segment(
      start: 0, end: 1, text: " a", averageLogProbability: 0, silenceProbability: 0,
      compressionRatio: 1, temperature: 0, seek: 0)
    let transcript = Transcript(
      text: "", language: "en", duration: 5, segments: Array(repeating: segment, count: 5))
    let vectors = [[0, 0.9], [1, 0], [0.6, 0.5], [0, 1], [0, 1]].map { Embedding($0) }
    let labeled = try transcript.labeled(
      vectors, [false, true, false, true, true], SpeakerOptions())
    #expect(
      labeled.segments.map(\.speaker) == [
        "Speaker 1", "Speaker 2", "Speaker 2", "Speaker 1", "Speaker 1",
      ])
    let short = try transcript.labeled(vectors, Array(repeating: false, count: 5), SpeakerOptions())
    #expect(short.segments[1].speaker != short.segments[3].speaker)
    #expect(
      try Transcript(text: "", language: "", duration: 0, segments: []).labeled([], [], .init())
        .segments.isEmpty)
  }

  @Test func `A group has the name of the voice that its mean is nearest to`() throws {
    let segment = Transcript.Segment(
      start: 0, end: 1, text: " a", averageLogProbability: 0, silenceProbability: 0,
      compressionRatio: 1, temperature: 0, seek: 0)
    let transcript = Transcript(
      text: "", language: "en", duration: 5, segments: Array(repeating: segment, count: 5))
    let vectors = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 1, 0], [1, 0.1, 0.1]].map {
      Embedding($0)
    }
    var gallery = InMemoryGallery()
    gallery.enroll(Embedding([0.05, 1, 0]), as: "Ada")
    let matcher = GalleryMatcher(EmbeddingOptions(metric: .cosine, maxDistance: 0.1)) { [gallery] in
      gallery
    }
    let named = try transcript.labeled(
      vectors, Array(repeating: true, count: 5), SpeakerOptions(), matcher)
    #expect(
      named.segments.map(\.speaker) == ["Speaker 1", "Ada", "Speaker 2", "Ada", "Speaker 1"])
  }

  @Test func `All forms of a transcript name the speakers`() {
    var segment = Transcript.Segment(
      start: 0, end: 1, text: " Hello", averageLogProbability: 0, silenceProbability: 0,
      compressionRatio: 1, temperature: 0, seek: 0)
    segment.speaker = "Speaker 1"
    let transcript = Transcript(text: " Hello", language: "en", duration: 1, segments: [segment])
    #expect(transcript.formatted(as: .text) == "Speaker 1: Hello\n")
    #expect(transcript.formatted(as: .json).contains(#""speaker":"Speaker 1""#))
    #expect(transcript.formatted(as: .srt).contains("\nSpeaker 1: Hello\n"))
    #expect(transcript.formatted(as: .vtt).contains("\n<v Speaker 1>Hello\n"))
    #expect(transcript.formatted(as: .tsv).hasSuffix("0\t1000\tSpeaker 1: Hello\n"))
    #expect(transcript.textLines.last == "    0.00 – 1.00  Speaker 1: Hello")
  }
}
