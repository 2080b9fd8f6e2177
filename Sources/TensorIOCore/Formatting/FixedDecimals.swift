extension BinaryFloatingPoint {
  /// The number with a fixed count of decimals.
  package func fixed(_ decimals: Int) -> String {
    guard isFinite, abs(self) < 1e15 else { return "\(self)" }
    let factor = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    let scaled = (Double(self).magnitude * factor).rounded()
    let digits = String(UInt64(scaled))
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let sign = self < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + padded }
    return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
  }
}
