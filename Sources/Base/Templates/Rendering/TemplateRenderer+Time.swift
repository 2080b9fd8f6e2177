import TensorIOSystem

extension TemplateRenderer {
  private static let days = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// Returns the time in a format of `strftime`, in UTC and English.
  func time(_ format: TemplateText) throws(TemplateError) -> TemplateText {
    let date = time.components
    var text = ""
    var scalars = format.string.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      guard scalar == "%" else {
        text.unicodeScalars.append(scalar)
        continue
      }
      var directive = scalars.popFirst()
      // A hyphen removes leading zeros.
      let isShort = directive == "-"
      if isShort { directive = scalars.popFirst() }
      func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return isShort
          ? digits : String(repeating: "0", count: max(0, width - digits.count)) + digits
      }
      switch directive {
      case "Y": text += padded(date.year, 1)
      case "y": text += padded(date.year % 100)
      case "m": text += padded(date.month)
      case "d": text += padded(date.day)
      case "H": text += padded(date.hour)
      case "I": text += padded((date.hour + 11) % 12 + 1)
      case "M": text += padded(date.minute)
      case "S": text += padded(date.second)
      case "f": text += padded(date.millisecond * 1000, 6)
      case "j": text += padded(date.dayOfYear, 3)
      case "p": text += date.hour < 12 ? "AM" : "PM"
      case "A": text += Self.days[date.weekday]
      case "a": text += Self.days[date.weekday].prefix(3)
      case "B": text += Self.months[date.month - 1]
      case "b", "h": text += Self.months[date.month - 1].prefix(3)
      case "F": text += "\(date.year)-\(padded(date.month))-\(padded(date.day))"
      case "T": text += "\(padded(date.hour)):\(padded(date.minute)):\(padded(date.second))"
      case "R": text += "\(padded(date.hour)):\(padded(date.minute))"
      case "Z", "z": break
      case "%": text += "%"
      default:
        let name = directive.map { String($0) } ?? ""
        throw template.source.error(
          .unsupported(feature: "'%\(name)' in a format of 'strftime_now'"), at: offset)
      }
    }
    return TemplateText(text)
  }
}
