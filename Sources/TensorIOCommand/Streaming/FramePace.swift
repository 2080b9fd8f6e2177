/// Which frames are taken of those that come: not those that come too soon after one that was.
struct FramePace: Sendable {
  /// So much may be missing, since times are rounded.
  private static let tolerance = 1e-6

  /// The seconds between two frames that are taken, at least.
  let minimumDelay: Double
  private var last: Double?

  init(minimumDelay: Double = 0) {
    self.minimumDelay = minimumDelay
  }

  /// Whether the frame that comes at a time, in seconds, is taken.
  mutating func takes(_ time: Double) -> Bool {
    if let last, time - last < minimumDelay - Self.tolerance { return false }
    last = time
    return true
  }

  /// How many frames in a second are taken of so many that come.
  func rate(of rate: Double) -> Double {
    rate / max(1, (minimumDelay * rate - Self.tolerance * rate).rounded(.up))
  }
}
