/// How large lines and letters are on a canvas, and where the labels of boxes go.
struct BoxLayout {
  /// The size of letters, and with it of everything else.
  let textSize: Double
  /// How thick the line around something is.
  let lineWidth: Double
  private let canvas: Canvas.Rectangle
  private var taken: [Canvas.Rectangle] = []

  /// Relative to the shorter side of the canvas, but never too small to be seen.
  private static let relativeTextSize = 0.028
  private static let smallestText = 12.0
  private static let relativeLineWidth = 0.0042
  private static let thinnestLine = 2.0
  /// How many labels may stand above or below one another before they cover each other.
  private static let longestStack = 6
  /// Everything else relative to the size of letters.
  private static let padding = 0.36

  var padding: Double { Self.padding * textSize }

  init(width: Int, height: Int) {
    canvas = Canvas.Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
    let side = Double(min(width, height))
    textSize = max(Self.smallestText, (Self.relativeTextSize * side).rounded())
    lineWidth = max(Self.thinnestLine, (Self.relativeLineWidth * side).rounded())
  }

  /// Where a label goes: above its box, or else at one of the other edges, or farther up and down;
  /// the first place inside the canvas where no other label is.
  mutating func place(width: Double, height: Double, on box: Canvas.Rectangle) -> Canvas.Rectangle {
    let right = max(box.x, box.maxX - width)
    let corners = [
      (box.x, box.y - height), (box.x, box.y), (box.x, box.maxY), (right, box.y - height),
      (right, box.maxY - height), (right, box.maxY), (box.x, box.maxY - height),
    ]
    let stacked = (1...Self.longestStack).flatMap { number in
      let distance = Double(number) * height
      return [(box.x, box.y - height - distance), (box.x, box.maxY + distance)]
    }
    let places = (corners + stacked).map { x, y in
      Canvas.Rectangle(
        x: max(0, min(x, canvas.width - width)), y: y, width: width, height: height)
    }
    let inside = places.filter { $0.y >= 0 && $0.maxY <= canvas.height }
    let free = inside.first { place in !taken.contains { $0.overlaps(place) } }
    let chosen = free ?? inside.first ?? places[1]
    taken.append(chosen)
    return chosen
  }
}

extension Canvas.Rectangle {
  fileprivate func overlaps(_ other: Canvas.Rectangle) -> Bool {
    x < other.maxX && other.x < maxX && y < other.maxY && other.y < maxY
  }
}
