#if Everything
  /// English words for numbers.
  enum EnglishNumbers {
    private static let ones = [
      "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
      "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
      "nineteen",
    ]
    private static let tens = [
      "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ]
    private static let sizes = [
      (1_000_000_000, "billion"), (1_000_000, "million"), (1000, "thousand"), (100, "hundred"),
    ]
    /// The number of digits from which digits are read one by one.
    private static let maxDigits = 12

    /// Returns the words of a number in digits.
    static func words(ofDigits digits: String) -> [String] {
      guard digits.utf8.count <= maxDigits, let number = Int(digits) else {
        return digits.compactMap(\.wholeNumberValue).map { ones[$0] }
      }
      return words(of: number)
    }

    private static func words(of number: Int) -> [String] {
      if number < 20 { return [ones[number]] }
      if number < 100 {
        return [tens[number / 10]] + (number.isMultiple(of: 10) ? [] : [ones[number % 10]])
      }
      guard let (size, name) = sizes.first(where: { number >= $0.0 }) else { return [] }
      return words(of: number / size) + [name]
        + (number.isMultiple(of: size) ? [] : words(of: number % size))
    }
  }
#endif
