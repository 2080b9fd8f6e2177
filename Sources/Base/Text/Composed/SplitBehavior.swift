/// What becomes of the matches at which a text is split.
enum SplitBehavior: String, Sendable {
  /// Each match is a part.
  case isolated = "Isolated"
  /// Matches are left out.
  case removed = "Removed"
  /// Adjacent matches are one part.
  case contiguous = "Contiguous"
  /// A match is joined with the part before it.
  case mergedWithPrevious = "MergedWithPrevious"
  /// A match is joined with the part after it.
  case mergedWithNext = "MergedWithNext"

  /// Returns the parts of a range.
  ///
  /// - Parameters:
  ///   - range: The range.
  ///   - matches: The matches in the range, in order, which are not empty.
  ///   - isInverted: Whether the parts between the matches count as matches, and these do not.
  /// - Returns: The parts in order.
  func parts(
    of range: Range<Int>, at matches: [Range<Int>], isInverted: Bool
  ) -> [Range<Int>] {
    var pieces: [(range: Range<Int>, isMatch: Bool)] = []
    var start = range.lowerBound
    for match in matches {
      if start < match.lowerBound { pieces.append((start..<match.lowerBound, isInverted)) }
      pieces.append((match, !isInverted))
      start = match.upperBound
    }
    if start < range.upperBound { pieces.append((start..<range.upperBound, isInverted)) }
    switch self {
    case .isolated: return pieces.map(\.range)
    case .removed: return pieces.filter { !$0.isMatch }.map(\.range)
    case .contiguous, .mergedWithPrevious: return Self.joined(pieces, isJoined)
    case .mergedWithNext:
      return Self.joined(pieces.reversed(), isJoined).reversed()
    }
  }

  /// Whether a piece is joined with its neighbor.
  private func isJoined(_ isMatch: Bool, withMatch isNeighborMatch: Bool) -> Bool {
    self == .contiguous ? isMatch == isNeighborMatch : isMatch && !isNeighborMatch
  }

  private static func joined(
    _ pieces: [(range: Range<Int>, isMatch: Bool)], _ isJoined: (Bool, Bool) -> Bool
  ) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var wasMatch = false
    for piece in pieces {
      if let last = parts.last, isJoined(piece.isMatch, wasMatch) {
        parts[parts.count - 1] =
          min(
            last.lowerBound, piece.range.lowerBound)..<max(last.upperBound, piece.range.upperBound)
      } else {
        parts.append(piece.range)
      }
      wasMatch = piece.isMatch
    }
    return parts
  }
}
