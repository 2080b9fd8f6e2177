/// The merges of a `merges.txt`.
enum MergeList {
  /// Returns the two parts of each merge, in order of rank; a line `#version` is skipped.
  static func pairs(_ file: [UInt8]) throws(TokenizerError) -> [(String, String)] {
    let lines = try VocabularyLines(file)
    var pairs: [(String, String)] = []
    for (index, range) in lines.ranges.enumerated() {
      let line = file[range]
      if line.isEmpty || line.starts(with: "#version".utf8) { continue }
      let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
        throw TokenizerError(vocabulary: "line \(index + 1) of the merges is not two tokens")
      }
      pairs.append(
        (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self)))
    }
    return pairs
  }
}
