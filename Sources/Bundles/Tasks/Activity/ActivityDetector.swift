/// Finds the sections with speech in the probabilities of windows.
///
/// Between two thresholds nothing changes, so that a voice that fades does not end and begin again. Positions are samples.
struct ActivityDetector {
  /// A section with speech.
  struct Section: Equatable {
    var start: Int
    var end: Int
  }

  private let options: ActivityOptions
  private let hop: Int
  private let sampleRate: Double

  /// Creates a detector for windows that begin at multiples of a number of samples.
  init(_ options: ActivityOptions, hop: Int, sampleRate: Int) {
    (self.options, self.hop, self.sampleRate) = (options, hop, Double(sampleRate))
  }

  /// A pause at which a long section can be divided.
  private static let minCut = 0.098

  /// Returns the sections with speech.
  ///
  /// - Parameters:
  ///   - probabilities: The probability of speech in each window.
  ///   - length: The number of samples of the recording.
  /// - Returns: The sections, with padding.
  func sections(_ probabilities: [Float], length: Int) -> [Section] {
    let (minSilence, minSpeech) = (options.minSilence * sampleRate, options.minSpeech * sampleRate)
    let padding = options.padding * sampleRate
    let longest =
      options.maxSpeech.map { $0 * sampleRate - Double(hop) - 2 * padding } ?? .infinity
    var sections: [Section] = []
    var (start, silence): (Int?, Int?) = (nil, nil)
    var pauses: [(end: Int, length: Int)] = []
    for (index, probability) in probabilities.enumerated() {
      let (now, probability) = (hop * index, Double(probability))
      if probability >= options.threshold, let began = silence {
        if Double(now - began) > Self.minCut * sampleRate { pauses.append((began, now - began)) }
        silence = nil
      }
      guard let begin = start else {
        if probability >= options.threshold { start = now }
        continue
      }
      if Double(now - begin) > longest {
        let pause =
          pauses.reduce(nil) { longest, pause in
            pause.length > longest?.length ?? 0 ? pause : longest
          } as (end: Int, length: Int)?
        guard let pause else {
          sections.append(Section(start: begin, end: now))
          (start, silence, pauses) = (nil, nil, [])
          continue
        }
        sections.append(Section(start: begin, end: pause.end))
        (start, silence, pauses) = (pause.end + pause.length, nil, [])
      }
      guard probability < options.low, let begin = start else { continue }
      let pause = silence ?? now
      silence = pause
      guard Double(now - pause) >= minSilence else { continue }
      if Double(pause - begin) > minSpeech { sections.append(Section(start: begin, end: pause)) }
      (start, silence, pauses) = (nil, nil, [])
    }
    if let start, Double(length - start) > minSpeech {
      sections.append(Section(start: start, end: length))
    }
    pad(&sections, by: padding, length: length)
    return sections
  }

  /// Adds the padding; a gap that is shorter than two of them is divided.
  private func pad(_ sections: inout [Section], by padding: Double, length: Int) {
    for index in sections.indices {
      if index == 0 { sections[0].start = Int(max(0, Double(sections[0].start) - padding)) }
      guard index + 1 < sections.count else {
        sections[index].end = Int(min(Double(length), Double(sections[index].end) + padding))
        continue
      }
      let gap = sections[index + 1].start - sections[index].end
      if Double(gap) < 2 * padding {
        sections[index].end += gap.half
        sections[index + 1].start = max(0, sections[index + 1].start - gap.half)
      } else {
        sections[index].end = Int(min(Double(length), Double(sections[index].end) + padding))
        sections[index + 1].start = Int(max(0, Double(sections[index + 1].start) - padding))
      }
    }
  }
}

extension Int {
  /// Half of the number, rounded down.
  fileprivate var half: Int { self >> 1 }
}
