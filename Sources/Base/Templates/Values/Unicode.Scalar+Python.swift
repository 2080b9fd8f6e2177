extension Unicode.Scalar {
  /// Whether `str.isspace` of Python is true, and `strip` removes the scalar.
  var isPythonSpace: Bool {
    switch value {
    case 0x09...0x0D, 0x1C...0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F,
      0x205F, 0x3000:
      true
    default: false
    }
  }

  /// Whether `str.splitlines` of Python ends a line at the scalar.
  var isPythonLineEnd: Bool {
    switch value {
    case 0x0A...0x0D, 0x1C...0x1E, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }

  /// Whether `repr` of Python writes the scalar itself instead of an escape.
  var isPythonPrintable: Bool {
    if value < 0x7F { return value >= 0x20 }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .spaceSeparator:
      return false
    default: return true
    }
  }

  /// Whether `str.isalpha` of Python is true.
  var isPythonLetter: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: false
    }
  }

  /// Whether `str.isdigit` of Python is true.
  var isPythonDigit: Bool {
    properties.numericType == .decimal || properties.numericType == .digit
  }

  /// Whether the scalar is a letter with case.
  var isCased: Bool {
    properties.isUppercase || properties.isLowercase
      || properties.generalCategory == .titlecaseLetter
  }
}
