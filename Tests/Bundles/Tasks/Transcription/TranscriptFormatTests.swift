import Testing

@testable import TensorIOTasks

/// The forms of transcripts.
@Suite struct TranscriptFormatTests {
  private let transcript = Transcript(
    text: " Hello\tworld. Next --> line.", language: "en", duration: 4000,
    segments: [
      Self.segment(0.0004, 2.9995, " Hello\tworld."),
      Self.segment(3600.1, 3661.9996, " Next --> line."),
      Self.segment(3662, 3663, " "),
    ])

  private static func segment(
    _ start: Double, _ end: Double, _ text: String
  ) -> Transcript.Segment {
    Transcript.Segment(
      start: start, end: end, text: text, tokens: [1], averageLogProbability: -0.5,
      silenceProbability: 0.25, compressionRatio: 1.5, temperature: 0, seek: 0)
  }

  @Test func `Texts are lines without spaces at their ends`() {
    #expect(transcript.formatted(as: .text) == "Hello\tworld.\nNext --> line.\n")
  }

  @Test func `Subtitles are numbered, and milliseconds are rounded`() {
    #expect(
      transcript.formatted(as: .srt) == """
        1
        00:00:00,000 --> 00:00:03,000
        Hello\tworld.

        2
        01:00:00,100 --> 01:01:02,000
        Next -> line.


        """)
    #expect(
      transcript.formatted(as: .vtt) == """
        WEBVTT

        00:00:00.000 --> 00:00:03.000
        Hello\tworld.

        01:00:00.100 --> 01:01:02.000
        Next -> line.


        """)
  }

  @Test func `Tables have no tabs in texts`() {
    #expect(
      transcript.formatted(as: .tsv)
        == "start\tend\ttext\n0\t3000\tHello world.\n3600100\t3662000\tNext --> line.\n")
  }

  @Test func `JSON has everything`() {
    let text = transcript.formatted(as: .json)
    #expect(
      text.hasPrefix(
        #"{"text":" Hello\tworld. Next --> line.","language":"en","duration":4000,"segments":[{"start""#
      ))
    #expect(text.contains(#""avg_logprob":-0.5,"no_speech_prob":0.25"#))
    #expect(!text.contains("words"))
  }

  @Test func `An empty transcript is a result`() {
    let empty = Transcript(text: "", language: "en", duration: 1, segments: [])
    #expect(empty.formatted(as: .text).isEmpty)
    #expect(empty.formatted(as: .vtt) == "WEBVTT\n\n")
    #expect(empty.textLines == ["  transcript", "    no speech"])
  }

  @Test func `Languages have codes and names`() {
    #expect(SpokenLanguage.all.count == 100)
    #expect(SpokenLanguage.all[1].code == "zh")
    #expect(SpokenLanguage.all.last?.code == "yue")
    #expect(SpokenLanguage.name(of: "ht") == "haitian creole")
    #expect(SpokenLanguage.code(of: "English") == "en")
    #expect(SpokenLanguage.code(of: "xx") == nil)
  }
}
