/// The precompiled normalization rules of a SentencePiece model: a double-array trie and replacement texts.
///
/// The trie is that of Darts-clone: 32-bit units with a label, an offset and a flag for values.
struct PrecompiledCharacterMap: Sendable {
  /// The maximum number of rules that are compared at one place, as in the reference.
  private static let maxMatches = 32
  /// The maximum length of a cluster that is replaced as a whole.
  private static let maxClusterBytes = 5

  private let units: [UInt32]
  /// The replacement texts, each of which ends with a zero byte.
  private let texts: [UInt8]
  /// Whether no rule replaces a character of ASCII alone.
  private var keepsASCII = [Bool](repeating: false, count: 256)

  /// Reads the rules.
  init(_ bytes: ArraySlice<UInt8>) throws(TokenizerError) {
    let invalid = TokenizerError(vocabulary: "its normalization rules are malformed")
    let words = bytes.count / 4
    guard words >= 2 else { throw invalid }
    let first = bytes.startIndex
    func word(_ index: Int) -> UInt32 {
      (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[first + 4 * index + $1]) }
    }
    let size = Int(word(0))
    guard size % 4 == 0, size > 0, size < bytes.count - 4 else { throw invalid }
    units = (1...size / 4).map(word)
    texts = Array(bytes[(first + 4 + size)...])
    guard texts.last == 0 else { throw invalid }
    for byte in UInt8(0)..<128 {
      keepsASCII[Int(byte)] = shortestMatch(in: 0..<1, of: [byte].span) == nil
    }
  }

  /// Whether no rule matches a character of ASCII that is followed by another one or by the end of the text.
  func leavesUnchanged(_ byte: UInt8) -> Bool {
    if match(at: 0, in: [byte].span) != nil { return false }
    return (0..<UInt8(128)).allSatisfy { !hasRule(beginningWith: [byte, $0]) }
  }

  /// Whether the trie has a path for a prefix.
  private func hasRule(beginningWith prefix: [UInt8]) -> Bool {
    var position = Self.offset(units[0])
    for byte in prefix {
      position ^= Int(byte)
      guard position < units.count, units[position] & 0x8000_00FF == UInt32(byte) else {
        return false
      }
      position ^= Self.offset(units[position])
    }
    return true
  }

  /// Returns the length of the longest rule that matches at an offset, and the range of its replacement in the texts.
  @inline(__always)
  func match(at offset: Int, in text: Span<UInt8>) -> (length: Int, replacement: Range<Int>)? {
    var (length, value) = (0, 0)
    var count = 0
    var position = Self.offset(units[0])
    var index = offset
    while index < text.count {
      let byte = text[index]
      position ^= Int(byte)
      guard position < units.count else { break }
      let unit = units[position]
      guard unit & 0x8000_00FF == UInt32(byte) else { break }
      position ^= Self.offset(unit)
      index += 1
      guard unit & 0x100 != 0 else { continue }
      guard position < units.count, count < Self.maxMatches else { break }
      count += 1
      (length, value) = (index - offset, Int(units[position] & 0x7FFF_FFFF))
    }
    guard length > 0, value < texts.count else { return nil }
    var end = value
    while end < texts.count, texts[end] != 0 { end += 1 }
    return (length, value..<end)
  }

  @inline(__always)
  private static func offset(_ unit: UInt32) -> Int { Int((unit >> 10) << ((unit & 0x200) >> 6)) }

  /// Returns a byte of a replacement.
  @inline(__always)
  func byte(_ index: Int) -> UInt8 { texts[index] }

  /// Changes a text as the package `tokenizers` does: a cluster of characters of up to five bytes is replaced if the
  /// shortest rule that begins it exists, otherwise each of its characters.
  func apply(to text: inout AlignedText) {
    if let changes = changes(of: text.bytes.span) { text.transform(changes) }
  }

  /// Returns the scalars of a changed text, or `nil` if no rule matches.
  private func changes(of bytes: Span<UInt8>) -> [AlignedText.Change]? {
    var changes: [AlignedText.Change] = []
    var isChanged = false
    var kept = 0..<0
    func addKept() {
      if !kept.isEmpty { changes.append(.kept(kept)) }
      kept = 0..<0
    }
    func add(_ range: Range<Int>) -> Bool {
      guard let replacement = shortestMatch(in: range, of: bytes) else { return false }
      let removed = UTF8Text.scalarCount(range, of: bytes)
      let added = UTF8Text.scalarCount(replacement, of: texts.span)
      isChanged = true
      var place = 0
      var index = replacement.lowerBound
      while index < replacement.upperBound {
        let (scalar, length) = UTF8Text.scalar(at: index, in: texts.span)
        changes.append(.init(scalar: scalar, removal: place < removed ? 0 : 1))
        (place, index) = (place + 1, index + length)
      }
      if added < removed, let last = changes.popLast() {
        let scalar = Self.splitLast(last, of: bytes, &changes)
        changes.append(.init(scalar: scalar, removal: last.removal + added - removed))
      }
      return true
    }
    var isPart = false
    GraphemeClusters.forEach(
      in: bytes,
      isNeeded: { part in
        isPart = !hasMatch(in: part, of: bytes)
        return !isPart
      }
    ) { cluster in
      if isPart || cluster.count == 1 && keepsASCII[Int(bytes[cluster.lowerBound])] {
        isPart = false
        kept = (kept.isEmpty ? cluster.lowerBound : kept.lowerBound)..<cluster.upperBound
        return
      }
      addKept()
      if cluster.count <= Self.maxClusterBytes, add(cluster) { return }
      var index = cluster.lowerBound
      while index < cluster.upperBound {
        let (scalar, length) = UTF8Text.scalar(at: index, in: bytes)
        if !add(index..<index + length) { changes.append(.init(scalar: scalar, removal: 0)) }
        index += length
      }
    }
    addKept()
    return isChanged ? changes : nil
  }

  /// Adds the characters of a change without the last one, and returns that.
  private static func splitLast(
    _ change: AlignedText.Change, of bytes: Span<UInt8>, _ changes: inout [AlignedText.Change]
  ) -> UInt32 {
    guard let end = change.kept.last else { return change.scalar }
    var start = end
    while bytes[start] & 0xC0 == 0x80 { start -= 1 }
    if start > change.kept.lowerBound { changes.append(.kept(change.kept.lowerBound..<start)) }
    return UTF8Text.scalar(at: start, in: bytes).value
  }

  /// Whether a rule may match a cluster, or a character, in a part of a text.
  private func hasMatch(in part: Range<Int>, of text: Span<UInt8>) -> Bool {
    var index = part.lowerBound
    while index < part.upperBound {
      // Longer clusters are not replaced as a whole.
      let range = index..<min(index + Self.maxClusterBytes, part.upperBound)
      if shortestMatch(in: range, of: text) != nil { return true }
      index += UTF8Text.length(after: text[index])
    }
    return false
  }

  /// Returns the replacement of the shortest rule that matches the beginning of a range, or `nil` if none does.
  private func shortestMatch(in range: Range<Int>, of text: Span<UInt8>) -> Range<Int>? {
    var position = Self.offset(units[0])
    for index in range {
      let byte = text[index]
      position ^= Int(byte)
      guard byte != 0, position < units.count else { return nil }
      let unit = units[position]
      guard unit & 0x8000_00FF == UInt32(byte) else { return nil }
      position ^= Self.offset(unit)
      guard unit & 0x100 != 0 else { continue }
      guard position < units.count else { return nil }
      let value = Int(units[position] & 0x7FFF_FFFF)
      guard value < texts.count else { return nil }
      var end = value
      while end < texts.count, texts[end] != 0 { end += 1 }
      let isValid = UTF8Text.firstInvalidOffset(in: texts.span.extracting(value..<end)) == nil
      return isValid ? value..<end : nil
    }
    return nil
  }
}
