import TensorIOAudio
import TensorIOCore
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIODrawing
@testable import TensorIOEvaluation

/// The texts and the sounds of samples on the page of a report.
@Suite struct SampleContentTests {
  private func section(_ label: String, _ start: Double, _ end: Double, _ text: String? = nil)
    -> FoundSection
  { FoundSection(label: label, start: start, end: end, text: text) }

  @Test func `Sections are found in the columns of any result`() throws {
    let labels = ["PER", "LOC"]
    let entities = zip(labels, [0..<3, 13..<19]).map {
      LabeledText(text: "…", range: $1, label: $0, score: 1)
    }
    let column = ResultColumn.lists(ends: [2], of: LabeledText.column(of: entities))
    #expect(
      column.foundSections == [section("PER", 0, 3, "…"), section("LOC", 13, 19, "…")])
    // Windows of a sound, whose labels are those of the best class of each.
    let classes = ResultColumn.records([
      .init("label", .texts(["bell", "buzz", "buzz"])),
      .init("score", .numbers(Numbers(.floats([0.9, 0.1, 0.8]), shape: [3]))),
    ])
    let windows = ResultColumn.records([
      .init("start", .numbers(Numbers(.doubles([0, 0.5]), shape: [2]))),
      .init("end", .numbers(Numbers(.doubles([0.5, 1]), shape: [2]))),
      .init("classes", .lists(ends: [2, 3], of: classes)),
    ])
    let sound = ResultColumn.records([
      .init("windows", .lists(ends: [2], of: windows))
    ])
    #expect(sound.foundSections == [section("bell", 0, 0.5), section("buzz", 0.5, 1)])
    #expect(ResultColumn.texts(["a"]).foundSections.isEmpty)
  }

  @Test func `Sections are marked in their text, without those that overlap or are elsewhere`() {
    let text = "Ada lives in Zürich <now>."
    let marked = SampleText(
      ["Where?", text],
      [
        section("LOC", 13, 20, "Zürich"), section("LOC", 13, 16, "Zü"), section("PER", 0, 3, "Ada"),
        section("PER", 4, 9, "other"), section("PER", 90, 95, "Ada"), section("PER", 0.5, 3, "Ada"),
      ]
    ).markup.source
    #expect(
      marked == """
        <div class="texts"><p>Where?</p><p><mark style="--color:var(--s1)">Ada<small>PER</small></mark> lives in \
        <mark style="--color:var(--s0)">Zürich<small>LOC</small></mark> &lt;now&gt;.</p></div>
        """)
  }

  @Test func `Of a long text, the part around its first section is shown`() {
    let text = String(repeating: "ä", count: 2000) + "here" + String(repeating: "ö", count: 2000)
    let source = SampleText([text], [section("", 4000, 4004, "here")]).markup.source
    #expect(source.contains("ää<mark style=\"--color:var(--s0)\">here</mark>öö"))
    #expect(source.contains("<p>…ä") && source.contains("ö…</p>"))
    #expect(source.utf8.count < 1000 && !source.contains("\u{FFFD}"))
    let plain = SampleText([text], []).markup.source
    #expect(plain.hasPrefix("<div class=\"texts\"><p>ää") && plain.hasSuffix("ä…</p></div>"))
  }

  @Test func `A sound has its waveform, its sections and ten seconds to play`() throws {
    let rate = 44_100
    let samples = (0..<30 * rate).map { Float($0 % 100) / 100 }
    let sound = try AudioBuffer(samples: samples, sampleRate: rate)
    let sections = [section("bell", 0, 2), section("bell", 1.5, 4), section("buzz", 10, 11)]
    let source = SampleSound(sound, sections, name: "a.wav").markup.source
    // The two sections of the same label that overlap are one.
    #expect(source.components(of: "<rect ") == 2 && source.components(of: "<li ") == 2)
    #expect(source.contains("bell <small>0.00–4.00 s</small>"))
    #expect(source.contains("The first 10 seconds of 30"))
    // 16,000 samples of two bytes a second, in Base64.
    #expect((426_000..<440_000).contains(source.utf8.count))
    let whole = SampleSound(sound, [section("bell", 0, 30)], name: "a.wav").markup.source
    #expect(whole.components(of: "<rect ") == 0)
  }

  @Test func `Silence, an empty sound and numbers that are none are drawn`() throws {
    for samples in [[], [0], [Float](repeating: 0, count: 100), [.nan, .infinity, 1]] {
      let sound = try AudioBuffer(samples: samples, sampleRate: 8000)
      let source = SampleSound(sound, [section("x", .nan, .infinity)], name: "a").markup.source
      let drawn = source.split(separator: "<audio").first ?? ""
      #expect(drawn.contains("<svg") && !drawn.contains("nan") && !drawn.contains("inf"))
      #expect(source.contains("<audio") == !samples.isEmpty)
    }
  }
}

extension String {
  fileprivate func components(of text: String) -> Int { split(separator: text).count - 1 }
}
