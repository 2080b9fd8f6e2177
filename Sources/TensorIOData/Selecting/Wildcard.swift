/// A pattern for names: `*` stands for any letters, `?` for one.
struct Wildcard: Sendable, Hashable {
  private let pattern: [Character]

  init(_ pattern: String) { self.pattern = Array(pattern) }

  /// Whether a name is as the pattern says, from its beginning to its end.
  ///
  /// Only the last star is ever tried again, so that no pattern costs more than the product of the
  /// lengths.
  func matches(_ name: String) -> Bool {
    let name = Array(name)
    var (place, letter) = (0, 0)
    var star: (place: Int, letter: Int)?
    while letter < name.count {
      if place < pattern.count, pattern[place] == "*" {
        star = (place, letter)
        place += 1
      } else if place < pattern.count, pattern[place] == "?" || pattern[place] == name[letter] {
        (place, letter) = (place + 1, letter + 1)
      } else if let last = star {
        star = (last.place, last.letter + 1)
        (place, letter) = (last.place + 1, last.letter + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == "*" }
  }
}
