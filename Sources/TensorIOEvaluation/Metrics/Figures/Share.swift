/// A part of a whole; `nil` of nothing.
func share(_ part: Int, of whole: Int) -> Double? {
  whole > 0 ? Double(part) / Double(whole) : nil
}
