import TensorIOCore

/// Where a recording has speech.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "voice-activity.tiobundle")
/// let activity = try model.run(AudioBuffer(contentsOf: "call.wav")).activity
/// for segment in activity.segments { print(segment.start, segment.end) }
/// ```
public struct Activity: Sendable, Hashable {
  /// A section with speech.
  public struct Segment: Sendable, Hashable {
    /// Where the section begins, in seconds.
    public var start: Double
    /// Where the section ends, in seconds.
    public var end: Double

    /// Creates a section.
    public init(start: Double, end: Double) { (self.start, self.end) = (start, end) }
  }

  /// The sections with speech, in order.
  public var segments: [Segment]
  /// The probability of speech in each window.
  public var probabilities: [Float]
  /// The time between the starts of two windows, in seconds.
  public var hop: Double
}

extension Activity: TaskResult, ResultRecord {
  /// The members of the JSON.
  public static let members = [
    Member("segments", \.segments), Member("probabilities", \.probabilities), Member("hop", \.hop),
  ]

  /// The name of the result.
  public var key: String { "activity" }

  /// The lines of the sections.
  public var textLines: [String] {
    let lines = segments.map { segment in
      "    \(segment.start.formatted(decimals: 2)) – \(segment.end.formatted(decimals: 2))"
    }
    return ["  \(key)"] + (lines.isEmpty ? ["    no speech"] : lines)
  }

  /// A row for each section.
  public var tableRows: [ResultRow] {
    segments.enumerated().map { index, segment in
      ResultRow(
        output: key, index: "\(index)", label: "speech", value: "\(segment.start) \(segment.end)")
    }
  }

  /// The sections in one line; for a single window, its probability.
  public var summary: String {
    guard probabilities.count != 1 else {
      return "speech \(Double(probabilities[0]).formatted(decimals: 4))"
    }
    let parts = segments.map {
      "\($0.start.formatted(decimals: 2))–\($0.end.formatted(decimals: 2))"
    }
    return parts.isEmpty ? "no speech" : parts.joined(separator: ", ")
  }
}

extension Activity.Segment: ResultRecord {
  /// The members of the JSON.
  public static let members = [Member("start", \.start), Member("end", \.end)]
}
