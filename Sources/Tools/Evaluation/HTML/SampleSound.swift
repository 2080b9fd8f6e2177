import TensorIOAudio
import TensorIOCore
import TensorIODrawing
import TensorIOTasks

/// The waveform of a sample, with the sections that the model has found, and a player.
struct SampleSound {
  /// The length of the sound that can be played, in seconds, and its highest rate, which limit the size of the page.
  private static let (playedSeconds, playedRate) = (10.0, 16_000)
  private static let (width, height) = (160, 40)

  private let sound: AudioBuffer
  private let sections: [FoundSection]
  private let colors: [String: Int]
  private let name: String

  init(_ sound: AudioBuffer, _ sections: [FoundSection], name: String) {
    self.sound = sound.mono()
    let sections = Self.merged(sections.filter { $0.start.isFinite && $0.end.isFinite })
    // One section that is the whole sound shows no more than the prediction.
    let isWhole = sections.count == 1 && sections[0].start <= 0 && sections[0].end >= sound.duration
    self.sections = isWhole ? [] : sections
    (colors, self.name) = (SampleText.colors(of: sections), name)
  }

  /// Returns sections of which those with the same label that touch or overlap are one.
  private static func merged(_ sections: [FoundSection]) -> [FoundSection] {
    var merged: [FoundSection] = []
    for section in sections.sorted(by: { $0.start < $1.start }) {
      if let last = merged.last, last.label == section.label, section.start <= last.end {
        merged[merged.count - 1].end = max(last.end, section.end)
      } else {
        merged.append(section)
      }
    }
    return merged
  }

  var markup: Markup {
    .element("div", ["class": "sound"], waveform, legend, player)
  }

  private var waveform: Markup {
    let label = "Waveform of \(name.displayText), \(sound.duration.formatted(decimals: 2)) s"
    return .element(
      "svg",
      [
        "role": "img", "viewBox": "0 0 \(Self.width) \(Self.height)", "preserveAspectRatio": "none",
        "aria-label": label,
      ],
      sections.map(rectangle) + [.element("path", ["class": "wave", "d": path])])
  }

  /// The range of the samples of each column, relative to the loudest sample.
  private var path: String {
    let samples = sound.samples
    let peak = samples.reduce(0) { max($0, abs($1.isFinite ? $1 : 0)) }
    let middle = Double(Self.height) / 2
    return (0..<Self.width).compactMap { column in
      let range =
        samples.count * column / Self.width..<samples.count * (column + 1) / Self.width
      guard let low = samples[range].min(), let high = samples[range].max(), low.isFinite,
        high.isFinite
      else { return nil }
      let scale = peak > 0 ? (middle - 1) / Double(peak) : 0
      let top = (middle - Double(high) * scale - 0.5).svgCoordinate
      let bottom = (middle - Double(low) * scale + 0.5).svgCoordinate
      return "M\(column).5 \(top)V\(bottom)"
    }.joined()
  }

  private func rectangle(_ section: FoundSection) -> Markup {
    let scale = sound.duration > 0 ? Double(Self.width) / sound.duration : 0
    let (start, end) = (section.start * scale, section.end * scale)
    let color = "fill:var(--s\(colors[section.label] ?? 0))"
    return .element(
      "rect",
      [
        "class": "found", "style": color, "x": start.svgCoordinate, "y": "0",
        "width": max(1, end - start).svgCoordinate, "height": "\(Self.height)",
      ],
      .element("title", [:], Markup(section.label.displayText)))
  }

  /// The labels with their times, because colors alone do not name them.
  private var legend: Markup {
    let labeled = sections.filter { !$0.label.isEmpty }.prefix(SampleText.colorCount)
    guard !labeled.isEmpty else { return .empty }
    return .element(
      "ul", ["class": "found-labels"],
      labeled.map { section in
        let times = [section.start, section.end].map { $0.formatted(decimals: 2) }
        let range = times[0] == times[1] ? "\(times[0]) s" : "\(times[0])–\(times[1]) s"
        return .element(
          "li", ["style": "--color:var(--s\(colors[section.label] ?? 0))"],
          Markup("\(section.label.displayText) "), .element("small", [:], Markup(range)))
      })
  }

  private var player: Markup {
    let played = Int(Self.playedSeconds * Double(sound.sampleRate))
    let isCut = sound.frameCount > played
    guard sound.frameCount > 0,
      let start = isCut
        ? try? AudioBuffer(
          samples: Array(sound.samples.prefix(played)), sampleRate: sound.sampleRate) : sound,
      let converted = sound.sampleRate > Self.playedRate
        ? try? start.converted(toSampleRate: Self.playedRate) : start
    else { return .empty }
    let note =
      isCut
      ? "The first \(Int(Self.playedSeconds)) seconds of \(Int(sound.duration.rounded()))" : nil
    return Markup([
      .element(
        "audio",
        [
          "controls": "controls", "preload": "metadata", "aria-label": name.displayText,
          "src": "data:audio/wav;base64,\(converted.encoded().base64)",
        ]),
      note.map { .element("p", ["class": "secondary"], Markup($0)) } ?? .empty,
    ])
  }
}
