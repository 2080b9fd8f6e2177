package import TensorIOBundle
import TensorIOCore
package import TensorIOImage
import TensorIOSystem

/// The segmentation of a run, for output and drawing.
package struct SegmentationResult: TaskResult {
  package let key = "segmentation"
  package let segmentation: Segmentation
  /// The classes to show, by descending size.
  let regions: [Segmentation.Region]
  /// The size of the caller's image.
  let (imageWidth, imageHeight): (Int, Int)

  init(
    segmentation: Segmentation, regions: [Segmentation.Region], imageWidth: Int, imageHeight: Int
  ) {
    (self.segmentation, self.regions) = (segmentation, regions)
    (self.imageWidth, self.imageHeight) = (imageWidth, imageHeight)
  }

  package func cutOut(from image: ImageBuffer) throws(ModelError) -> ImageBuffer? {
    try segmentation.cutOut(regions.map(\.label), from: image)
  }

  package var textLines: [String] {
    let width = regions.map(\.label.sanitizedForTerminal.count).max() ?? 0
    let rows = regions.map { region in
      let label = region.label.sanitizedForTerminal
      let edges = region.box.edges.map { "\(Int($0.value))" }
      return "    \(label)\(String(repeating: " ", count: width - label.count))  "
        + "\((region.fraction * 100).formatted(decimals: 1)) %"
        + "  x \(edges[0])–\(edges[2])  y \(edges[1])–\(edges[3])"
    }
    return ["  segmentation of \(segmentation.width) × \(segmentation.height)"]
      + (rows.isEmpty ? ["    only background"] : rows)
  }

  package var tableRows: [ResultRow] {
    regions.flatMap { region in
      ([("fraction", "\(region.fraction)"), ("pixels", "\(region.pixelCount)")]
        + region.box.edges.map { ($0.name, "\($0.value)") })
        .map { name, value in
          ResultRow(
            output: "segmentation/\(name)", index: "\(region.index)", label: region.label,
            value: value)
        }
    }
  }

  package var summary: String {
    regions.map { "\($0.label) \(($0.fraction * 100).formatted(decimals: 1)) %" }
      .joined(separator: ", ")
  }

  package var overlay: Overlay {
    // The overlay has 255 colors; index 0 is transparent.
    let shown = regions.prefix(Int(UInt8.max))
    var entries = [UInt8](repeating: 0, count: Int(UInt16.max) + 1)
    for (position, region) in shown.enumerated() { entries[region.index] = UInt8(position + 1) }
    return Overlay([
      .mask(
        Overlay.Mask(
          region: BoundingBox(
            xmin: 0, ymin: 0, xmax: Double(imageWidth), ymax: Double(imageHeight)),
          width: segmentation.width, indices: segmentation.classes.map { entries[Int($0)] },
          palette: [nil] + shown.map(\.color),
          legend: shown.map { Overlay.LegendEntry(label: $0.label, color: $0.color) }))
    ])
  }
}

extension SegmentationResult: ResultRecord {
  package static let members = [
    Member("width", \.segmentation.width), Member("height", \.segmentation.height),
    Member("regions", \.regions), Member("png") { try? $0.segmentation.indexImage },
  ]
}

extension Segmentation.Region: ResultRecord {
  /// The label and the extent.
  public static let members = [
    Member("label", \.label), Member("index", \.index), Member("fraction", \.fraction),
    Member("pixels", \.pixelCount), Member("color", \.color.hexadecimal), Member("box", \.box),
  ]
}
