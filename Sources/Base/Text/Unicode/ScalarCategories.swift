/// The scalars of each general category of Unicode.
enum ScalarCategories {
  /// The abbreviations of the categories.
  private static let names: [Unicode.GeneralCategory: String] = [
    .uppercaseLetter: "Lu", .lowercaseLetter: "Ll", .titlecaseLetter: "Lt", .modifierLetter: "Lm",
    .otherLetter: "Lo", .nonspacingMark: "Mn", .spacingMark: "Mc", .enclosingMark: "Me",
    .decimalNumber: "Nd", .letterNumber: "Nl", .otherNumber: "No", .connectorPunctuation: "Pc",
    .dashPunctuation: "Pd", .openPunctuation: "Ps", .closePunctuation: "Pe",
    .initialPunctuation: "Pi", .finalPunctuation: "Pf", .otherPunctuation: "Po",
    .mathSymbol: "Sm", .currencySymbol: "Sc", .modifierSymbol: "Sk", .otherSymbol: "So",
    .spaceSeparator: "Zs", .lineSeparator: "Zl", .paragraphSeparator: "Zp", .control: "Cc",
    .format: "Cf", .surrogate: "Cs", .privateUse: "Co", .unassigned: "Cn",
  ]

  /// The ranges of each category, found on first use.
  private static let ranges: [String: [ClosedRange<UInt32>]] = {
    var ranges: [Unicode.GeneralCategory: [ClosedRange<UInt32>]] = [:]
    var (first, last) = (UInt32(0), Unicode.GeneralCategory.control)
    func close(at end: UInt32) { ranges[last, default: []].append(first...end - 1) }
    for value in UInt32(1)...0x10_FFFF {
      // What is between these scalars is not assigned.
      guard value < 0x3_4000 || value >= 0xE_0000 else { continue }
      let category = Unicode.Scalar(value)?.properties.generalCategory ?? .surrogate
      guard category != last else { continue }
      close(at: value)
      (first, last) = (value, category)
    }
    close(at: 0x11_0000)
    return Dictionary(uniqueKeysWithValues: ranges.map { (names[$0] ?? "", $1) })
  }()

  /// Returns the scalars of a category such as `Lu`, or of all with a first letter such as `L`; `nil` for other names.
  static func set(named name: String) -> ScalarSet? {
    guard (1...2).contains(name.utf8.count) else { return nil }
    let found = ranges.filter { $0.key.hasPrefix(name) }
    return found.isEmpty ? nil : ScalarSet(found.flatMap(\.value))
  }
}
