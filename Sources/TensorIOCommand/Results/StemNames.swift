/// Names for the files that belong to items: the stem of the item's own file, and `-2`, `-3` for
/// those that come again.
struct StemNames {
  /// What items without a file are called.
  private static let unnamed = "input"

  private var counts: [String: Int] = [:]

  /// The stem for the next item.
  mutating func stem(of name: String) -> String {
    let stem = Self.plainStem(of: name)
    counts[stem, default: 0] += 1
    let count = counts[stem] ?? 1
    return count == 1 ? stem : "\(stem)-\(count)"
  }

  private static func plainStem(of name: String) -> String {
    let file = name.split(separator: "/").last.map(String.init) ?? ""
    let isFileName = !file.contains { "{}[]=,\"'".contains($0) } && file.count <= 200
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file[...]
    return isFileName && !stem.isEmpty && stem != "-" ? String(stem) : unnamed
  }
}
