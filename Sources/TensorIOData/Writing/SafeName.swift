/// Names of files that every system takes.
struct SafeName {
  /// The bytes that a name may have, with room for what makes it unlike others.
  static let longest = 200

  private var taken: Set<String> = []
  /// The number that a name had last that was given before.
  private var numbers: [String: Int] = [:]

  /// A name for the copy of a picture, unlike all that were given before, whatever their case.
  mutating func next(for path: String) -> String {
    let name = DataPath.last(of: path)
    let stem = Self.safe(DataPath.stem(of: name))
    let ending = name.hasEnding(LabelledFolder.endings) ? Self.ending(of: name) : ""
    let wanted = stem + ending
    var candidate = wanted
    while !taken.insert(candidate.lowercased()).inserted {
      let number = numbers[wanted.lowercased(), default: 1] + 1
      numbers[wanted.lowercased()] = number
      candidate = "\(stem)-\(number)\(ending)"
    }
    return candidate
  }

  private static func ending(of name: String) -> String {
    name.split(separator: ".").last.map { ".\($0)" } ?? ""
  }

  /// The text with `_` for all but letters, digits, `-`, `_` and dots inside.
  private static func safe(_ text: String) -> String {
    var safe = ""
    for letter in text {
      let isKept = letter.isLetter || letter.isNumber || "-_. ".contains(letter)
      let kept = isKept ? letter : "_"
      guard safe.utf8.count + kept.utf8.count <= longest else { break }
      safe.append(kept)
    }
    safe = safe.trimmed
    return safe.isEmpty || safe.hasPrefix(".") ? "_" + safe.dropFirst() : safe
  }
}
