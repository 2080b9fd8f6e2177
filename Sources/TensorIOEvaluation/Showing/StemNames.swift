/// Names for the files that belong to items: the stem of the item's own file, and `-2`, `-3` for
/// those that come again.
package struct StemNames {
  /// What items without a file are called.
  private static let unnamed = "input"

  private var taken: Set<String> = []
  /// The last number that each name was given, so that the millionth is found as fast as the first.
  private var counts: [String: Int] = [:]

  /// No names yet.
  package init() {}

  /// The stem for the next item, of the path or the text that it is known by.
  package mutating func stem(of name: String) -> String {
    let plain = Self.plainStem(of: name)
    var stem = plain
    var count = counts[plain, default: 1]
    while !taken.insert(stem).inserted {
      count += 1
      stem = "\(plain)-\(count)"
    }
    counts[plain] = count
    return stem
  }

  private static func plainStem(of name: String) -> String {
    let file = name.split(separator: "/").last ?? ""
    let isFileName = !file.contains { "{}[]=,\"'".contains($0) } && file.utf8.count <= 200
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file[...]
    return isFileName && !stem.isEmpty && stem != "-" ? String(stem) : unnamed
  }
}
