/// How the sections with speech follow from probabilities.
public struct ActivityOptions: Sendable, Hashable {
  /// The probability from which speech begins.
  public var threshold = 0.5
  /// The probability below which a pause begins; `nil` for 0.15 less than the other.
  public var lowThreshold: Double?
  /// The length that a section has to exceed, in seconds.
  public var minSpeech = 0.25
  /// The length from which a pause ends a section, in seconds.
  public var minSilence = 0.1
  /// The length from which a section is divided, at its longest pause if it has one, in seconds; `nil` for no limit.
  public var maxSpeech: Double?
  /// What is added before and after each section, in seconds.
  public var padding = 0.03

  /// Creates options with the defaults of bundles.
  public init() {}

  /// The options with the same thresholds that divide a recording before it is transcribed: at pauses of 2 seconds, with 0.4
  /// seconds before and after each section, of which none is too short.
  public var forTranscription: ActivityOptions {
    var options = self
    (options.minSpeech, options.minSilence, options.padding) = (0, 2, 0.4)
    options.maxSpeech = nil
    return options
  }

  /// The probability below which a pause begins.
  var low: Double { lowThreshold ?? max(threshold - 0.15, 0.01) }
}
