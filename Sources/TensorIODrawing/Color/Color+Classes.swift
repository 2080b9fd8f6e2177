extension Color {
  /// The colour of a class: always the same for the same index, and unlike those of its neighbours.
  ///
  /// Twelve clear colours, then twelve lighter and twelve darker ones, then the first again.
  public static func forClass(_ index: Int) -> Color {
    let color = clear[modulo(index, clear.count)]
    switch modulo(index.flooredQuotient(by: clear.count), 3) {
    case 0: return color
    case 1: return color.mixed(with: .white, 0.45)
    default: return color.mixed(with: .black, 0.3)
    }
  }

  /// Bright enough to be seen on black, dark enough for white; neighbours differ in hue.
  private static let clear = [
    Color(red: 38, green: 166, blue: 254),  // sky
    Color(red: 255, green: 149, blue: 0),  // orange
    Color(red: 48, green: 196, blue: 110),  // green
    Color(red: 244, green: 76, blue: 96),  // red
    Color(red: 158, green: 116, blue: 255),  // violet
    Color(red: 240, green: 200, blue: 24),  // yellow
    Color(red: 20, green: 196, blue: 196),  // turquoise
    Color(red: 240, green: 98, blue: 190),  // pink
    Color(red: 150, green: 200, blue: 40),  // lime
    Color(red: 92, green: 120, blue: 250),  // blue
    Color(red: 214, green: 138, blue: 92),  // copper
    Color(red: 160, green: 172, blue: 184),  // slate
  ]

  private static func modulo(_ value: Int, _ count: Int) -> Int {
    let rest = value % count
    return rest < 0 ? rest + count : rest
  }
}

extension Int {
  /// The quotient rounded down, so that counting goes on the same below zero.
  fileprivate func flooredQuotient(by divisor: Int) -> Int {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
