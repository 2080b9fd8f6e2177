#if Everything
  import TensorIOGeneration

  extension SpeechTokens {
    /// Excludes the tokens that cannot follow those of a window.
    ///
    /// Times come in pairs around text, do not decrease, and segments are not empty.
    ///
    /// - Parameters:
    ///   - scores: The scores of what follows.
    ///   - tokens: The tokens of the window so far, without its prefix.
    func applyRules(to scores: inout TokenScores, after tokens: [Int32]) {
      let count = Int32(scores.count)
      let (first, times) = (0..<firstTime, firstTime..<max(firstTime, count))
      if tokens.isEmpty { scores.exclude(suppressedAtFirst) }
      scores.exclude(suppressed)
      scores.exclude([withoutTimes])
      let endsWithTime = tokens.last.map(isTime) ?? false
      let followsTime = tokens.count < 2 || isTime(tokens[tokens.count - 2])
      if endsWithTime { scores.exclude(followsTime ? times : 0..<end) }
      if let last = tokens.last(where: isTime) {
        let lowest = endsWithTime && !followsTime ? last : last + 1
        scores.exclude(firstTime..<lowest)
      }
      if tokens.isEmpty {
        scores.exclude(first)
        let latest = firstTime + maxInitialTime + 1
        if latest < count { scores.exclude(latest..<count) }
      }
      // Where some time is more probable than each text, its exact value is chosen among the times.
      if scores.logSum(of: times) > Double(scores.maximum(of: first)) { scores.exclude(first) }
    }
  }
#endif
