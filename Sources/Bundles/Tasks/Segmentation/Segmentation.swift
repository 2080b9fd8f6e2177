public import TensorIOBundle
public import TensorIOImage

/// The class of each pixel of an image.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "street.tiobundle")
/// let segmentation = try model.run(ImageBuffer(contentsOf: "street.jpg")).segmentation
/// for region in segmentation.regions { print(region.label, region.fraction) }
/// try segmentation.mask(of: "car").write(to: "cars.png")
/// ```
public struct Segmentation: Sendable, Hashable {
  /// The pixels of a class.
  public struct Region: Sendable, Hashable {
    /// The class.
    public let index: Int
    /// The label of the class, or its index as text if it has none.
    public let label: String
    /// The number of pixels.
    public let pixelCount: Int
    /// The part of the image, from 0 to 1.
    public let fraction: Double
    /// The smallest rectangle that contains the pixels, in pixels of the result.
    public let box: BoundingBox

    /// The color of the class, which depends only on its index.
    public var color: PixelColor { .forSegment(index) }
  }

  /// The number of pixels of a row.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The class of each pixel, row by row; ``unknownClass`` where the model has not seen the image.
  public let classes: [UInt16]
  /// The probability of each pixel's class, row by row; empty unless it was requested.
  public let confidences: [Float]
  /// The labels by class; classes without a label are named by their index.
  public let labels: [String]
  /// The classes that occur, without the background, by descending size.
  public let regions: [Region]

  /// The class of pixels that were cropped away before the model ran.
  public static let unknownClass = UInt16.max

  /// Creates a segmentation from the class of each pixel.
  ///
  /// - Parameters:
  ///   - width: The number of pixels of a row.
  ///   - classes: The class of each pixel, row by row. An incomplete last row is dropped.
  ///   - labels: The labels by class.
  ///   - background: The labels of classes that are not listed as regions.
  ///   - confidences: The probability of each pixel's class, or an empty array.
  public init(
    width: Int, classes: [UInt16], labels: [String], background: [String] = [],
    confidences: [Float] = []
  ) {
    self.width = max(0, width)
    height = width > 0 ? classes.count / width : 0
    self.classes =
      height * self.width == classes.count ? classes : Array(classes.prefix(height * self.width))
    self.confidences = confidences.count == self.classes.count ? confidences : []
    self.labels = labels
    regions = Self.regions(of: self.classes, width: self.width, labels, Set(background))
  }

  /// Returns the label of a class, or its index as text if it has none.
  public func label(of index: Int) -> String { Self.label(of: index, labels) }

  /// Returns the class with a label; `nil` if there is none.
  public func classIndex(of label: String) -> Int? {
    labels.firstIndex(of: label) ?? regions.first { $0.label == label }?.index
  }

  /// Returns an image that is white where pixels have a class and black elsewhere.
  ///
  /// - Parameter label: The label of the class.
  /// - Returns: A gray image of the size of the result.
  /// - Throws: A ``ModelError`` if no class has the label, or the result has no pixels.
  public func mask(of label: String) throws(ModelError) -> ImageBuffer {
    guard let index = classIndex(of: label) else {
      throw ModelError(.output, .invalidValue("no class has the label '\(label, as: "label")'"))
    }
    return try image(classes.map { Int($0) == index ? .max : 0 })
  }

  /// The class of each pixel as a gray image, whose values are the indices of the classes; 255 for
  /// unknown classes and those above 254.
  ///
  /// - Throws: A ``ModelError`` if the result has no pixels.
  public var indexImage: ImageBuffer {
    get throws(ModelError) { try image(PixelLoop.map(classes) { UInt8(clamping: $0) }) }
  }

  private func image(_ pixels: [UInt8]) throws(ModelError) -> ImageBuffer {
    do throws(ImageError) {
      return try ImageBuffer(width: width, height: height, format: .gray, pixels: pixels)
    } catch {
      throw ModelError(.output, .image(error))
    }
  }

  fileprivate static func label(of index: Int, _ labels: [String]) -> String {
    labels.indices.contains(index) && !labels[index].isEmpty ? labels[index] : String(index)
  }
}

extension Segmentation {
  /// The extent of the pixels of one class.
  fileprivate struct Extent {
    var count = 0
    var (left, top, right, bottom) = (Int.max, Int.max, 0, 0)
  }

  private static func regions(
    of classes: [UInt16], width: Int, _ labels: [String], _ background: Set<String>
  ) -> [Region] {
    guard width > 0, !classes.isEmpty else { return [] }
    var extents: [Extent] = []
    let pixels = classes.span
    // Neighbors usually have the same class, so that rows are divided into runs.
    var start = 0
    while start < classes.count {
      let (row, value) = (start / width, pixels[start])
      let rowEnd = (row + 1) * width
      var end = start + 1
      while end < rowEnd, pixels[end] == value { end += 1 }
      if value != unknownClass {
        if Int(value) >= extents.count {
          extents += repeatElement(Extent(), count: Int(value) + 1 - extents.count)
        }
        extents[Int(value)].add(row, start - row * width..<end - row * width)
      }
      start = end
    }
    let regions = extents.indices.compactMap { index -> Region? in
      let (extent, label) = (extents[index], label(of: index, labels))
      guard extent.count > 0, !background.contains(label) else { return nil }
      return Region(
        index: index, label: label, pixelCount: extent.count,
        fraction: Double(extent.count) / Double(classes.count),
        box: BoundingBox(
          xmin: Double(extent.left), ymin: Double(extent.top), xmax: Double(extent.right),
          ymax: Double(extent.bottom)))
    }
    return regions.sorted { first, second in
      first.pixelCount == second.pixelCount
        ? first.index < second.index : first.pixelCount > second.pixelCount
    }
  }
}

extension Segmentation.Extent {
  fileprivate mutating func add(_ row: Int, _ columns: Range<Int>) {
    count += columns.count
    (left, right) = (min(left, columns.lowerBound), max(right, columns.upperBound))
    (top, bottom) = (min(top, row), row + 1)
  }
}

extension PixelColor {
  /// Returns the color of a class in a segmented image, as in the PASCAL VOC dataset.
  ///
  /// The bits of the index are distributed over the channels: 1 is dark red, 2 green, 3 olive.
  public static func forSegment(_ index: Int) -> PixelColor {
    var (red, green, blue) = (0, 0, 0)
    var rest = index & 0xFF
    for bit in stride(from: 7, through: 0, by: -1) {
      red |= (rest & 1) << bit
      green |= (rest >> 1 & 1) << bit
      blue |= (rest >> 2 & 1) << bit
      rest >>= 3
    }
    return PixelColor(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
  }
}
