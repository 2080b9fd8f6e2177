import TensorIOCore
package import TensorIOImage
package import TensorIOJSON

extension Overlay {
  /// Writes the elements as a JSON array.
  ///
  /// Colors are `#rrggbb`, points are `[x, y]`, and the pixels of a mask are a PNG with alpha.
  package func write(to writer: inout JSONWriter) {
    writer.array { writer in
      for element in elements { writer.object { element.write(to: &$0) } }
    }
  }
}

extension Overlay.Element {
  fileprivate func write(to writer: inout JSONWriter) {
    switch self {
    case .box(let box):
      writer.member("type", "box")
      writer.rectangle("box", box.box)
      writer.member("label", box.label)
      writer.member("score", box.score)
      writer.member("color", box.color.hexadecimal)
      writer.points("points", box.points)
    case .polygon(let polygon):
      writer.member("type", "polygon")
      writer.points("points", polygon.corners)
      writer.member("label", polygon.label)
      if let score = polygon.score { writer.member("score", score) }
      writer.member("color", polygon.color.hexadecimal)
    case .lines(let lines):
      writer.member("type", "lines")
      writer.key("lines")
      writer.array { writer in
        for line in lines {
          writer.object { writer in
            writer.points("points", [line.start, line.end])
            writer.member("color", line.color.hexadecimal)
          }
        }
      }
    case .points(let points, let color):
      writer.member("type", "points")
      writer.points("points", points)
      writer.member("color", color.hexadecimal)
    case .mask(let mask):
      writer.member("type", "mask")
      mask.write(to: &writer)
    case .scores(let scores):
      writer.member("type", "scores")
      writer.key("scores")
      writer.array { writer in
        for score in scores {
          writer.object { writer in
            writer.member("label", score.label)
            writer.member("score", score.score)
            if let index = score.index { writer.member("index", index) }
          }
        }
      }
    }
  }
}

extension Overlay.Mask {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.rectangle("box", region)
    writer.member("opacity", opacity)
    if let png = try? image?.encoded(as: .png) {
      writer.member("png", png.base64)
    }
    writer.key("legend")
    writer.array { writer in
      for entry in legend {
        writer.object { writer in
          writer.member("label", entry.label)
          writer.member("color", entry.color.hexadecimal)
        }
      }
    }
  }

  /// The mask's colors as an image, transparent where nothing is drawn; `nil` if it is empty.
  package var image: ImageBuffer? {
    guard width > 0, height > 0 else { return nil }
    var pixels = [UInt8](repeating: 0, count: width * height * 4)
    for pixel in 0..<(width * height) {
      let index = Int(indices[pixel])
      guard index < palette.count, let color = palette[index] else { continue }
      pixels[pixel * 4] = color.red
      pixels[pixel * 4 + 1] = color.green
      pixels[pixel * 4 + 2] = color.blue
      pixels[pixel * 4 + 3] = .max
    }
    return try? ImageBuffer(width: width, height: height, format: .rgba, pixels: pixels)
  }
}

extension JSONWriter {
  fileprivate mutating func rectangle(_ key: String, _ box: BoundingBox) {
    self.key(key)
    object { writer in
      for (name, edge) in box.edges { writer.member(name, edge) }
    }
  }

  fileprivate mutating func points(_ key: String, _ points: [AffineMap.Point]) {
    self.key(key)
    array { writer in
      for point in points {
        writer.array { writer in
          writer.value(point.x.roundedToHundredths)
          writer.value(point.y.roundedToHundredths)
        }
      }
    }
  }
}
