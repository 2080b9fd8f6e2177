extension TemplateText {
  /// The text in uppercase.
  var uppercased: TemplateText {
    mapped { TemplateText($0.properties.uppercaseMapping) }
  }

  /// The text in lowercase.
  var lowercased: TemplateText {
    guard bytes.contains(where: { $0 >= 0x80 }) else {
      let lower = bytes.map { UInt8(ascii: "A") <= $0 && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
      return TemplateText(lower, isMarkup: isMarkup)
    }
    let scalars = scalars
    var text = TemplateText([], isMarkup: isMarkup)
    for (index, scalar) in scalars.enumerated() { text.appendLowercase(of: scalar, index, scalars) }
    return text
  }

  /// The first letter in titlecase and the others in lowercase.
  var capitalized: TemplateText {
    let scalars = scalars
    var text = TemplateText([], isMarkup: isMarkup)
    for (index, scalar) in scalars.enumerated() {
      if index == 0 {
        text.append(TemplateText(scalar.properties.titlecaseMapping))
      } else {
        text.appendLowercase(of: scalar, index, scalars)
      }
    }
    return text
  }

  /// The text with each letter in titlecase that follows no letter, and the others in lowercase.
  var titlecased: TemplateText {
    let scalars = scalars
    var text = TemplateText([], isMarkup: isMarkup)
    var isInWord = false
    for (index, scalar) in scalars.enumerated() {
      if isInWord {
        text.appendLowercase(of: scalar, index, scalars)
      } else {
        text.append(TemplateText(scalar.properties.titlecaseMapping))
      }
      isInWord = scalar.isCased
    }
    return text
  }

  private func mapped(_ transform: (Unicode.Scalar) -> TemplateText) -> TemplateText {
    var text = TemplateText([], isMarkup: isMarkup)
    for scalar in string.unicodeScalars { text.append(transform(scalar)) }
    return text
  }

  private mutating func appendLowercase(
    of scalar: Unicode.Scalar, _ index: Int, _ scalars: [Unicode.Scalar]
  ) {
    let sigma: Unicode.Scalar = "\u{3A3}"
    if scalar == sigma, Self.isFinal(index, scalars) {
      append("\u{3C2}")
    } else {
      append(TemplateText(scalar.properties.lowercaseMapping))
    }
  }

  /// Whether a capital sigma ends a word and so becomes another letter.
  private static func isFinal(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
    // A word of ignorable characters cannot make the search long for each of its letters.
    let maxDistance = 64
    let before = scalars[..<index].suffix(maxDistance).last { !$0.properties.isCaseIgnorable }
    let after = scalars[(index + 1)...].prefix(maxDistance)
      .first { !$0.properties.isCaseIgnorable }
    return before?.isCased == true && after?.isCased != true
  }
}
