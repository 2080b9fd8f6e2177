extension String {
  /// The text without what would steer a terminal.
  ///
  /// A bundle may come from anywhere, and its labels and names are shown. Line feeds and tabs stay.
  var printable: String {
    guard unicodeScalars.contains(where: \.steersTerminals) else { return self }
    var scalars = UnicodeScalarView()
    scalars.append(contentsOf: unicodeScalars.map { $0.steersTerminals ? "\u{FFFD}" : $0 })
    return String(scalars)
  }
}

extension Unicode.Scalar {
  fileprivate var steersTerminals: Bool {
    properties.generalCategory == .control && self != "\n" && self != "\t"
  }
}
