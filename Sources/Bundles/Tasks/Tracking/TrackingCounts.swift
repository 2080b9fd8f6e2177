import TensorIOImage
import TensorIOJSON

/// The numbers of tracked objects, of those that crossed lines, and of those in zones.
struct TrackingCounts: Sendable {
  /// The number of objects since the start of the stream.
  let objects: Int
  let lines: [LineCounter]
  let zones: [ZoneCounter]

  /// Writes the counts as a JSON object.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("objects", objects)
      if !lines.isEmpty {
        writer.member("lines", array: { writer in lines.forEach { $0.write(to: &writer) } })
      }
      if !zones.isEmpty {
        writer.member("zones", array: { writer in zones.forEach { $0.write(to: &writer) } })
      }
    }
  }

  /// The counts of lines and zones in one line, such as "line 1: 3 to the right, 1 to the left".
  var text: String {
    (lines.enumerated().map { "line \($0 + 1): \($1.text)" }
      + zones.enumerated().map { "zone \($0 + 1): \($1.text)" }).joined(separator: "; ")
  }

  /// The lines and zones, with their counts as labels.
  var overlay: [Overlay.Element] {
    let lines = lines.map { line in
      // There and back.
      Overlay.Polygon(
        corners: [line.start, line.end, line.start], label: line.text, color: Self.color)
    }
    let zones = zones.map {
      Overlay.Polygon(corners: $0.corners, label: $0.text, color: Self.color)
    }
    return (lines + zones).map(Overlay.Element.polygon)
  }

  private static let color = PixelColor(red: 255, green: 200, blue: 0)
}

extension LineCounter {
  fileprivate var text: String { "\(leftToRight) to the right, \(rightToLeft) to the left" }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("from", point: start)
      writer.member("to", point: end)
      writer.member("left_to_right", leftToRight)
      writer.member("right_to_left", rightToLeft)
    }
  }
}

extension ZoneCounter {
  fileprivate var text: String { "\(inside) inside, \(entered) entered, \(exited) exited" }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member(
        "corners", array: { writer in corners.forEach { writer.point($0) } })
      writer.member("inside", inside)
      writer.member("entered", entered)
      writer.member("exited", exited)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ key: String, point: AffineMap.Point) {
    self.key(key)
    self.point(point)
  }

  fileprivate mutating func point(_ point: AffineMap.Point) {
    array { writer in
      writer.value(point.x.roundedToHundredths)
      writer.value(point.y.roundedToHundredths)
    }
  }
}
