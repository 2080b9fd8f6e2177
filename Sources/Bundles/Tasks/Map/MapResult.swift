import TensorIOCore
import TensorIOImage
import TensorIOJSON

/// The map of a run, for output and drawing.
package struct MapResult: TaskResult {
  package let key = "map"
  package let map: ValueMap
  /// The size of the caller's image.
  let imageWidth: Int
  let imageHeight: Int

  private var numbers: [(name: String, value: Float)] {
    [("minimum", map.minimum), ("maximum", map.maximum), ("mean", map.mean)]
  }

  package var content: ValueMap { map }

  package var json: ResultJSON? {
    ResultJSON(content: { writer in
      writer.object { writer in
        writer.member("width", map.width)
        writer.member("height", map.height)
        for (name, value) in numbers { writer.member(name, value) }
        if let png = try? map.png16() { writer.member("png", png.base64) }
      }
    })
  }

  package var textLines: [String] {
    ["  map of \(map.width) × \(map.height): \(summary)"]
  }

  package var tableRows: [ResultRow] {
    numbers.map { ResultRow(output: "map/\($0.name)", value: "\($0.value)") }
  }

  package var summary: String {
    numbers.map { "\($0.name) \($0.value.formatted(decimals: 4))" }.joined(separator: ", ")
  }

  package var notes: [String] {
    map.nonfiniteCount > 0 ? ["\(map.nonfiniteCount) of the values are not finite numbers"] : []
  }

  package var overlay: Overlay {
    Overlay([
      .mask(
        Overlay.Mask(
          region: BoundingBox(
            xmin: 0, ymin: 0, xmax: Double(imageWidth), ymax: Double(imageHeight)),
          width: map.width,
          indices: map.levels(count: ValueMap.colors.count).map { UInt8(clamping: ($0 ?? -1) + 1) },
          palette: [nil] + ValueMap.colors, opacity: 1,
          legend: [
            .init(
              label: "\(map.maximum.formatted(decimals: 2))", color: ValueMap.colors.last ?? .white),
            .init(label: "\(map.minimum.formatted(decimals: 2))", color: ValueMap.colors[0]),
          ]))
    ])
  }
}

extension ValueMap: ResultRecord {
  /// The size, the range and the values.
  public static let members = [
    Member("width", \.width), Member("height", \.height), Member("minimum", \.minimum),
    Member("maximum", \.maximum), Member("mean", \.mean), Member("values", \.values),
  ]
}
