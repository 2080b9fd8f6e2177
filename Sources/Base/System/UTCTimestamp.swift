/// A time in UTC as text, such as `2027-03-14T09:26:53.589Z`.
///
/// Logs have one in each line, so that it is made without the formatters of Foundation, which are made for other purposes.
package struct UTCTimestamp: Sendable {
  /// The milliseconds since the beginning of 1970.
  private let milliseconds: Int

  /// Creates a time from nanoseconds since the beginning of 1970.
  package init(unixNanoseconds nanoseconds: Int) {
    milliseconds = nanoseconds.quotientRoundedDown(by: 1_000_000)
  }

  /// The present time.
  package static var now: UTCTimestamp { UTCTimestamp(unixNanoseconds: Platform.unixNanoseconds) }

  /// Appends the text.
  package func write(to bytes: inout [UInt8]) {
    let time = components
    Self.write(time.year, 4, to: &bytes)
    for (separator, number, digits) in [
      ("-", time.month, 2), ("-", time.day, 2), ("T", time.hour, 2), (":", time.minute, 2),
      (":", time.second, 2), (".", time.millisecond, 3),
    ] as [(Unicode.Scalar, Int, Int)] {
      bytes.append(UInt8(ascii: separator))
      Self.write(number, digits, to: &bytes)
    }
    bytes.append(UInt8(ascii: "Z"))
  }

  /// A date and a time of day.
  package struct Components: Sendable, Hashable {
    package let year, month, day: Int
    package let hour, minute, second, millisecond: Int
    /// The number of the day in the week, from 0 for Monday.
    package let weekday: Int

    /// The number of the day in the year, from 1.
    package var dayOfYear: Int {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30]
      return lengths.prefix(month - 1).reduce(day, +)
    }
  }

  /// The date and the time of day.
  package var components: Components {
    let days = milliseconds.quotientRoundedDown(by: 86_400_000)
    let time = milliseconds - days * 86_400_000
    let date = Self.date(days)
    return Components(
      year: date.year, month: date.month, day: date.day, hour: time / 3_600_000,
      minute: time / 60_000 % 60, second: time / 1000 % 60, millisecond: time % 1000,
      // The first day of 1970 was a Thursday.
      weekday: (days % 7 + 10) % 7)
  }

  /// Appends the last digits of a number.
  private static func write(_ number: Int, _ digits: Int, to bytes: inout [UInt8]) {
    var unit = (1..<digits).reduce(1) { unit, _ in unit * 10 }
    while unit > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
      unit /= 10
    }
  }

  /// Returns the date that is a number of days after the first one of 1970.
  ///
  /// Years begin in March here, so that the day that only leap years have is the last one.
  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    // 400 years, which are one era of the calendar, always have the same number of days.
    let daysPerEra = 146_097
    let shifted = days + 719_468
    let era = shifted.quotientRoundedDown(by: daysPerEra)
    let dayOfEra = shifted - era * daysPerEra
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    // Five months from March on have 153 days.
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let isNextYear = month >= 10
    return (era * 400 + year + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3, day)
  }
}

extension UTCTimestamp: CustomStringConvertible {
  package var description: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Int {
  fileprivate func quotientRoundedDown(by divisor: Int) -> Int {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
