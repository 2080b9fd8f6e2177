extension Double {
  /// The number with six decimals, as C formats `%f`: all digits of its integer part, and the nearest decimal fraction.
  var fixedPointText: String {
    guard isFinite else { return isNaN ? "nan" : self < 0 ? "-inf" : "inf" }
    let sign = sign == .minus ? "-" : ""
    // Numbers from here on have no fraction.
    guard magnitude < 0x1p53 else { return "\(sign)\(magnitude.integerDigits).000000" }
    var whole = UInt64(magnitude)
    let fraction = magnitude - magnitude.rounded(.towardZero)
    let product = fraction * 1e6
    var decimals = product.rounded(.toNearestOrEven)
    // The product was rounded. It decides only between two decimals if it was halfway before that, too.
    let error = (-product).addingProduct(fraction, 1e6)
    if abs(product - decimals) == 0.5, error != 0 {
      decimals = product.rounded(error > 0 ? .up : .down)
    }
    if decimals >= 1e6 { (whole, decimals) = (whole + 1, 0) }
    let digits = String(Int(decimals))
    return "\(sign)\(whole)." + String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// The decimal digits of a positive integer of 2⁵³ or more.
  private var integerDigits: String {
    // Groups of nine digits, the lowest first.
    var groups: [UInt64] = []
    var rest = UInt64(significandBitPattern | 1 << UInt64(Self.significandBitCount))
    while rest > 0 {
      groups.append(rest % 1_000_000_000)
      rest /= 1_000_000_000
    }
    var shift = Int(exponent) - Self.significandBitCount
    while shift > 0 {
      let step = min(shift, 30)
      var carry: UInt64 = 0
      for index in groups.indices {
        let value = groups[index] << UInt64(step) + carry
        groups[index] = value % 1_000_000_000
        carry = value / 1_000_000_000
      }
      while carry > 0 {
        groups.append(carry % 1_000_000_000)
        carry /= 1_000_000_000
      }
      shift -= step
    }
    return groups.dropLast().reversed().reduce(into: groups.last.map(String.init) ?? "0") {
      text, group in
      let digits = String(group)
      text += String(repeating: "0", count: 9 - digits.count) + digits
    }
  }
}
