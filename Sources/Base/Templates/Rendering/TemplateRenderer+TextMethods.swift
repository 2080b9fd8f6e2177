extension TemplateRenderer {
  /// Calls a method of a string.
  mutating func textMethod(
    _ name: TemplateMethod, _ text: TemplateText, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    switch name {
    case .strip, .lstrip, .rstrip:
      let characters = try self.text(try bind(call, ["chars"])[0], name.rawValue)
      return try made(
        strip(text, characters, atStart: name != .rstrip, atEnd: name != .lstrip))
    case .split, .rsplit: return try splitMethod(name, text, call)
    case .splitlines:
      let keepsEnds = try bind(call, ["keepends"])[0]?.isTrue ?? false
      return try list(of: lines(of: text, keepsEnds: keepsEnds))
    case .partition, .rpartition: return try partition(name, text, call)
    case .replace:
      let arguments = try bind(call, ["old", "new", "count"], required: 2)
      return try made(
        try replacing(
          try required(arguments[0], name), with: try required(arguments[1], name), in: text,
          limit: try integer(arguments[2], name.rawValue)))
    case .join: return try join(text, call)
    case .startswith, .endswith:
      return .bool(try hasAffix(text, try bind(call, ["prefix"], required: 1)[0], name))
    case .removeprefix, .removesuffix:
      let affix = try required(try bind(call, ["prefix"], required: 1)[0], name)
      if name == .removeprefix {
        return .text(text.hasPrefix(affix) ? text.slice(affix.byteCount..<text.byteCount) : text)
      }
      return .text(
        text.hasSuffix(affix) ? text.slice(0..<(text.byteCount - affix.byteCount)) : text)
    case .count, .find, .index, .rfind: return try search(name, text, call)
    case .center, .ljust, .rjust, .zfill: return try pad(name, text, call)
    default:
      _ = try bind(call, [])
      return try plainMethod(name, text)
    }
  }

  private mutating func plainMethod(
    _ name: TemplateMethod, _ text: TemplateText
  ) throws(TemplateError) -> TemplateValue {
    switch name {
    case .lower: return try made(text.lowercased)
    case .upper: return try made(text.uppercased)
    case .title: return try made(text.titlecased)
    case .capitalize: return try made(text.capitalized)
    case .isupper: return .bool(try hasCase(text, isUpper: true))
    case .islower: return .bool(try hasCase(text, isUpper: false))
    case .isspace: return .bool(!text.isEmpty && text.scalars.allSatisfy(\.isPythonSpace))
    case .isdigit: return .bool(!text.isEmpty && text.scalars.allSatisfy(\.isPythonDigit))
    case .isalpha: return .bool(!text.isEmpty && text.scalars.allSatisfy(\.isPythonLetter))
    case .isalnum:
      return .bool(
        !text.isEmpty
          && text.scalars.allSatisfy { $0.isPythonLetter || $0.properties.numericType != nil })
    default:
      throw template.source.error(
        .unsupported(feature: "the method '\(name.rawValue)' of a string"), at: offset)
    }
  }

  private func required(
    _ value: TemplateValue?, _ name: TemplateMethod
  ) throws(TemplateError) -> TemplateText {
    guard let text = try text(value, name.rawValue) else {
      throw failure("'\(name.rawValue)' needs a string")
    }
    return text
  }

  private mutating func list(of texts: [TemplateText]) throws(TemplateError) -> TemplateValue {
    try create(texts.count * 40 + texts.reduce(0) { $0 + $1.byteCount })
    return try made(texts.map { .text($0) })
  }

  /// Whether all letters with case have the same case, and there is one.
  mutating func hasCase(_ text: TemplateText, isUpper: Bool) throws(TemplateError) -> Bool {
    try count(text.byteCount >> 6)
    let cased = text.scalars.filter(\.isCased)
    return !cased.isEmpty
      && cased.allSatisfy { isUpper ? $0.properties.isUppercase : $0.properties.isLowercase }
  }

  /// Returns a text without characters at its ends, white space by default.
  func strip(
    _ text: TemplateText, _ characters: TemplateText?, atStart: Bool = true, atEnd: Bool = true
  ) -> TemplateText {
    let set = characters.map { Set($0.scalars) }
    let scalars = text.string.unicodeScalars
    func isRemoved(_ scalar: Unicode.Scalar) -> Bool {
      set.map { $0.contains(scalar) } ?? scalar.isPythonSpace
    }
    var rest = scalars[...]
    while atStart, let first = rest.first, isRemoved(first) { rest.removeFirst() }
    while atEnd, let last = rest.last, isRemoved(last) { rest.removeLast() }
    return TemplateText(Array(String(rest).utf8), isMarkup: text.isMarkup)
  }

  /// Returns the lines of a text.
  func lines(of text: TemplateText, keepsEnds: Bool) -> [TemplateText] {
    var lines: [TemplateText] = []
    var line = TemplateText([], isMarkup: text.isMarkup)
    var isAfterReturn = false
    var hasText = false
    for scalar in text.string.unicodeScalars {
      if isAfterReturn, scalar == "\n" {
        isAfterReturn = false
        if keepsEnds { lines[lines.count - 1].append(scalar: scalar) }
        continue
      }
      isAfterReturn = scalar == "\r"
      hasText = true
      guard scalar.isPythonLineEnd else {
        line.append(scalar: scalar)
        continue
      }
      if keepsEnds { line.append(scalar: scalar) }
      lines.append(line)
      line = TemplateText([], isMarkup: text.isMarkup)
      hasText = false
    }
    if hasText { lines.append(line) }
    return lines
  }
}

// Parts.
extension TemplateRenderer {
  /// Returns the parts of a text between occurrences of a separator.
  func split(
    _ text: TemplateText, by separator: TemplateText, limit: Int?
  ) -> [TemplateText] {
    var parts: [TemplateText] = []
    var start = 0
    while limit.map({ parts.count < $0 }) ?? true,
      let offset = text.firstOffset(of: separator, from: start)
    {
      parts.append(text.slice(start..<offset))
      start = offset + separator.byteCount
    }
    return parts + [text.slice(start..<text.byteCount)]
  }

  /// Returns the parts of a text between occurrences of a separator, from the end.
  private func splitFromEnd(
    _ text: TemplateText, by separator: TemplateText, limit: Int
  ) -> [TemplateText] {
    var parts: [TemplateText] = []
    var end = text.byteCount
    while parts.count < limit, let offset = text.lastOffset(of: separator, to: end) {
      parts.append(text.slice((offset + separator.byteCount)..<end))
      end = offset
    }
    return [text.slice(0..<end)] + parts.reversed()
  }

  /// Returns the words of a text; those behind the limit are one part.
  private func words(_ text: TemplateText, limit: Int?, fromEnd: Bool) -> [TemplateText] {
    var scalars = text.scalars
    if fromEnd { scalars.reverse() }
    var words: [[Unicode.Scalar]] = []
    var index = 0
    while true {
      while index < scalars.count, scalars[index].isPythonSpace { index += 1 }
      guard index < scalars.count else { break }
      let start = index
      if let limit, words.count >= limit {
        words.append(Array(scalars[start...]))
        break
      }
      while index < scalars.count, !scalars[index].isPythonSpace { index += 1 }
      words.append(Array(scalars[start..<index]))
    }
    if fromEnd { words = words.reversed().map { $0.reversed() } }
    return words.map { TemplateText($0) }
  }

  private mutating func splitMethod(
    _ name: TemplateMethod, _ text: TemplateText, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, ["sep", "maxsplit"])
    let separator = try self.text(arguments[0], name.rawValue)
    var limit = try integer(arguments[1], name.rawValue)
    if let given = limit, given < 0 { limit = nil }
    var parts: [TemplateText]
    if let separator {
      guard !separator.isEmpty else { throw failure("the separator is empty") }
      try count(separator.byteCount >> 6)
      if name == .rsplit, let limit {
        parts = splitFromEnd(text, by: separator, limit: limit)
      } else {
        parts = split(text, by: separator, limit: limit)
      }
    } else {
      parts = words(text, limit: limit, fromEnd: name == .rsplit)
    }
    if text.isMarkup { for index in parts.indices { parts[index].isMarkup = true } }
    return try list(of: parts)
  }

  private mutating func partition(
    _ name: TemplateMethod, _ text: TemplateText, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let separator = try required(try bind(call, ["sep"], required: 1)[0], name)
    guard !separator.isEmpty else { throw failure("the separator is empty") }
    try count(separator.byteCount >> 6)
    let found =
      name == .partition
      ? text.firstOffset(of: separator) : text.lastOffset(of: separator, to: text.byteCount)
    let empty = text.slice(0..<0)
    guard let found else {
      return try made(
        name == .partition
          ? [.text(text), .text(empty), .text(empty)] : [.text(empty), .text(empty), .text(text)],
        .tuple)
    }
    let end = found + separator.byteCount
    let parts = [text.slice(0..<found), text.slice(found..<end), text.slice(end..<text.byteCount)]
    try create(text.byteCount)
    return try made(parts.map { .text($0) }, .tuple)
  }

  /// Returns a text with occurrences of another one replaced.
  mutating func replacing(
    _ old: TemplateText, with new: TemplateText, in text: TemplateText, limit: Int?
  ) throws(TemplateError) -> TemplateText {
    let limit = limit.flatMap { $0 < 0 ? nil : $0 } ?? .max
    guard limit > 0 else { return text }
    try count((text.byteCount + old.byteCount) >> 6)
    let parts: [TemplateText]
    if old.isEmpty {
      let scalars = try scalars(of: text)
      try create(scalars.count * 40)
      let single = scalars.prefix(limit - 1).map { TemplateText(Array($0.utf8)) }
      parts = [TemplateText([])] + single + [TemplateText(scalars.dropFirst(limit - 1))]
    } else {
      parts = split(text, by: old, limit: limit == .max ? nil : limit)
    }
    var result = try joined(parts, new)
    result.isMarkup = text.isMarkup
    return result
  }

  private mutating func join(
    _ separator: TemplateText, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let value = try bind(call, ["iterable"], required: 1)[0] ?? .none
    var texts: [TemplateText] = []
    for element in try elements(of: value) {
      guard case .text(let text) = element else {
        throw failure("'join' needs strings, not \(element.typeName)")
      }
      texts.append(separator.isMarkup ? text.escaped : text)
    }
    var result = try joined(texts, separator)
    result.isMarkup = separator.isMarkup
    return .text(result)
  }

  private func hasAffix(
    _ text: TemplateText, _ value: TemplateValue?, _ name: TemplateMethod
  ) throws(TemplateError) -> Bool {
    var affixes = [value]
    if case .list(let list) = value, list.isTuple { affixes = list.elements }
    for affix in affixes {
      let affix = try required(affix, name)
      if name == .startswith ? text.hasPrefix(affix) : text.hasSuffix(affix) { return true }
    }
    return false
  }

  private mutating func search(
    _ name: TemplateMethod, _ text: TemplateText, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let part = try required(try bind(call, ["sub"], required: 1)[0], name)
    try count(part.byteCount >> 6)
    if name == .count {
      if part.isEmpty { return .integer(Int128(text.count + 1)) }
      return .integer(Int128(split(text, by: part, limit: nil).count - 1))
    }
    let found =
      name == .rfind
      ? text.lastOffset(of: part, to: text.byteCount) : text.firstOffset(of: part)
    guard let found else {
      if name == .index { throw failure("the string does not contain the other one") }
      return .integer(-1)
    }
    return .integer(Int128(text.slice(0..<found).count))
  }

  /// Where a text is filled up to a width.
  enum Padding {
    case left, right, both
  }

  private mutating func pad(
    _ name: TemplateMethod, _ text: TemplateText, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, name == .zfill ? ["width"] : ["width", "fillchar"], required: 1)
    let width = try integer(arguments[0], name.rawValue) ?? 0
    guard name != .zfill else {
      let hasSign = text.hasPrefix("-") || text.hasPrefix("+")
      let digits = text.slice((hasSign ? 1 : 0)..<text.byteCount)
      var result = text.slice(0..<(hasSign ? 1 : 0))
      result.append(try padded(digits, width - (hasSign ? 1 : 0), with: "0", .left))
      return try made(result)
    }
    let filler = try self.text(arguments[1], name.rawValue) ?? " "
    guard filler.count == 1 else { throw failure("the filler has to be one character") }
    let padding: Padding = name == .center ? .both : name == .ljust ? .right : .left
    return try made(try padded(text, width, with: filler, padding))
  }

  /// Returns a text filled up to a width.
  mutating func padded(
    _ text: TemplateText, _ width: Int, with filler: TemplateText, _ padding: Padding
  ) throws(TemplateError) -> TemplateText {
    let missing = max(width, 0) - text.count
    guard missing > 0 else { return text }
    let left =
      switch padding {
      case .left: missing
      case .right: 0
      case .both: missing / 2 + (missing & width & 1)
      }
    var result = try repeated(filler, Int128(left))
    result.append(text)
    result.append(try repeated(filler, Int128(missing - left)))
    result.isMarkup = text.isMarkup
    return result
  }
}
