import TensorIOBundle
import TensorIOCore
package import TensorIOImage
package import TensorIOJSON
import TensorIOSystem

extension Explanation {
  /// The characters of a heat map in a terminal, from unimportant to important.
  private static let shades = Array(" .:-=+*#%@")
  /// The maximum numbers of columns and rows of a heat map in a terminal.
  private static let maxGrid = (columns: 32, rows: 16)
  /// The maximum number of cells of a heat map in JSON along an axis.
  private static let maxCells = 64
  /// The maximum number of numbers in a text.
  private static let maxParts = 20
  /// The width of a bar in a terminal.
  private static let barWidth = 20

  /// The explanation as lines for the terminal.
  package var lines: [String] {
    let base = baseScore.map { ", \($0.formatted(decimals: 4)) without the item's values" } ?? ""
    var lines = [
      "\(target): \(score.formatted(decimals: 4))\(base) (\(method.rawValue), \(runCount) runs)"
    ]
    if let heatMap { lines += Self.lines(of: heatMap) }
    if parts.isEmpty { return lines }
    let shown =
      method == .shapley
      ? Array(parts.sorted { abs($0.importance) > abs($1.importance) }.prefix(Self.maxParts))
      : parts
    let largest = parts.lazy.map { abs($0.importance) }.max() ?? 0
    let rows = shown.map { part in
      let share = largest > 0 ? abs(part.importance) / largest : 0
      let bar = String(
        repeating: part.importance < 0 ? "-" : "+",
        count: Int((share * Double(Self.barWidth)).rounded()))
      return [part.name.displayText, part.value.map { $0.formatted(decimals: 4) } ?? ""]
        + [part.importance.formatted(decimals: 4), bar]
    }
    let width = rows.map { $0[0].displayWidth }.max() ?? 0
    lines += rows.map { row in
      let name = row[0] + String(repeating: " ", count: width - row[0].displayWidth)
      let value = row[1].isEmpty ? "" : "  = \(row[1])"
      return "  \(name)\(value)  \(row[2])  \(row[3])".trimmingEnd
    }
    if shown.count < parts.count { lines.append("  … \(parts.count - shown.count) more") }
    return lines
  }

  private static func lines(of map: HeatMap) -> [String] {
    let grid = map.cells(columns: maxGrid.columns, rows: maxGrid.rows)
    let (low, high) = (min(0, map.minimum), map.maximum)
    let range = high - low
    return grid.map { row in
      "  "
        + String(
          row.map { value in
            let share = range > 0 ? (max(value, low) - low) / range : 0
            return shades[min(shades.count - 1, Int(share * Double(shades.count)))]
          })
    }
  }

  /// Writes the members of the explanation.
  package func write(to writer: inout JSONWriter) {
    writer.member("method", method.rawValue)
    writer.member("target", target)
    writer.member("score", score)
    if let baseScore { writer.member("base_score", baseScore) }
    writer.member("runs", runCount)
    if let heatMap {
      writer.member("width", heatMap.width)
      writer.member("height", heatMap.height)
      let cells = heatMap.cells(columns: Self.maxCells, rows: Self.maxCells)
      writer.member("importance", array: { writer in cells.forEach { writer.numbers($0) } })
    }
    if !parts.isEmpty {
      writer.member("parts", objects: parts) { writer, part in
        writer.member("name", part.name)
        if let value = part.value { writer.member("value", value) }
        writer.member("importance", part.importance)
      }
    }
  }
}

extension Explanation.HeatMap {
  /// The smallest side of an overlay, to which small images are enlarged.
  private static let minOverlaySide = 256
  /// The opacity of the most important pixels.
  private static let opacity = 0.75

  /// The smallest value.
  var minimum: Double { values.min() ?? 0 }
  /// The largest value.
  var maximum: Double { values.max() ?? 0 }

  /// Returns the means of at most so many cells.
  func cells(columns: Int, rows: Int) -> [[Double]] {
    let (columns, rows) = (min(columns, width), min(rows, height))
    return (0..<rows).map { row in
      (0..<columns).map { column in
        var (sum, count) = (0.0, 0.0)
        for y in row * height / rows..<(row + 1) * height / rows {
          for x in column * width / columns..<(column + 1) * width / columns {
            sum += values[y * width + x]
            count += 1
          }
        }
        return sum / max(1, count)
      }
    }
  }

  /// Returns the image in gray with the importance of pixels in color: red raises the score, blue lowers it.
  ///
  /// - Parameter image: The image that was explained, at any size.
  /// - Returns: The drawing, of the size of the image, enlarged if it is small.
  /// - Throws: An `ImageError` if the image is invalid.
  package func overlay(on image: ImageBuffer) throws(ImageError) -> ImageBuffer {
    let upright = image.upright().converted(to: .rgb)
    let scale = max(
      1,
      (Self.minOverlaySide + max(upright.width, upright.height) - 1)
        / max(upright.width, upright.height))
    let size = (width: upright.width * scale, height: upright.height * scale)
    let enlarge = ImagePreparation(
      width: size.width, height: size.height, fit: .stretch, filter: scale > 1 ? .nearest : .lanczos
    )
    let source = scale > 1 ? try enlarge(upright).image : upright
    let pixels = source.pixels
    // Sampled masks have only positive values, of which the differences count.
    let low = minimum
    let floor = low > 0 ? low : 0
    let largest = max(maximum - floor, low < 0 ? -low : 0)
    var drawn: [UInt8] = []
    drawn.reserveCapacity(pixels.count)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let value = values[y * height / size.height * width + x * width / size.width] - floor
        let share = largest > 0 ? min(1, abs(value) / largest) : 0
        let offset = 3 * (y * size.width + x)
        let gray =
          0.299 * Double(pixels[offset]) + 0.587 * Double(pixels[offset + 1])
          + 0.114 * Double(pixels[offset + 2])
        let color: [Double] = value < 0 ? [30, 90, 240] : [235, 40, 20]
        let opacity = Self.opacity * share
        drawn += color.map { UInt8(gray * (1 - opacity) + $0 * opacity) }
      }
    }
    return try ImageBuffer(width: size.width, height: size.height, format: .rgb, pixels: drawn)
  }
}

extension String {
  fileprivate var trimmingEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
