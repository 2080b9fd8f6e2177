/// How long the sides of a model's input are whose lengths each image determines.
///
/// Detectors of text look at the whole image, at a size near its own; readers of lines have a fixed height and are as wide
/// as the line. A rule says which sizes: without one, a large image would take all memory, and a small one would be
/// too small for the model.
package struct ImageSides: Sendable, Hashable {
  /// The shortest length of an open side.
  package var minimum = 1
  /// The greatest length of an open side.
  package var maximum = ImageLimits.maxSide
  /// The number that lengths are multiples of.
  package var multiple = 1
  /// The length of the shorter side that smaller images are enlarged to; `nil` to enlarge none.
  package var shorter: Int?
  /// The length of the longer side that larger images are reduced to; `nil` to reduce none.
  package var longer: Int?
  /// Whether larger images are reduced to ``shorter``, too, so that all images have that shorter side.
  package var isExact = false
  /// The length of one side of all images, the one that changes less; `nil` to scale them by the other rules.
  package var nearest: Int?
  /// The ratio of width to height from which images have bars above and below; `nil` for none.
  package var barRatio: Double?

  /// Creates the rule that keeps the size of the image.
  package init() {}
}

extension ImageSides {
  /// The sizes of an image on its way into a frame.
  struct Plan: Hashable {
    /// A width and a height.
    struct Size: Hashable {
      var width, height: Int
    }

    /// The size that the image has after the first scaling.
    var image: Size
    /// The height of the bars above and below the scaled image.
    var bar = 0
    /// The size of the image with its bars in the frame.
    var content: Size
    /// The size of the frame.
    var frame: Size
  }

  /// Returns the sizes for an upright image; a side of the frame that is 0 is open.
  func plan(width: Int, height: Int, frame: Plan.Size) -> Plan {
    if frame.height > 0 { return plan(width: width, height: height, inRowsOf: frame.height) }
    if frame.width > 0 {
      return plan(width: height, height: width, inRowsOf: frame.width).transposed
    }
    let image = Plan.Size(width: width, height: height)
    if let nearest { return Plan(image: image, size: scaled(image, toNearest: nearest)) }
    if isExact, let shorter { return Plan(image: image, size: scaled(image, toShorter: shorter)) }
    return freePlan(width: width, height: height)
  }

  /// Returns the size of an image whose shorter side has a length, unless the other would be too long.
  private func scaled(_ image: Plan.Size, toShorter side: Int) -> Plan.Size {
    let (short, long) = (
      Double(min(image.width, image.height)), Double(max(image.width, image.height))
    )
    let limit = Double(longer ?? maximum)
    let isTooLong = long / short * Double(side) > limit
    let exact = isTooLong ? limit * short / long : Double(side)
    let shortest = multiples(exact.rounded(.toNearestOrEven))
    let longest = short == long ? shortest : multiples((exact * long / short).rounded(.down))
    return image.width < image.height
      ? Plan.Size(width: shortest, height: longest) : Plan.Size(width: longest, height: shortest)
  }

  /// Returns the size of an image of which one side has a length: the one that changes less.
  private func scaled(_ image: Plan.Size, toNearest side: Int) -> Plan.Size {
    let (down, across) = (
      Double(side) / Double(image.height), Double(side) / Double(image.width)
    )
    let limit = Double(maximum) / Double(max(image.width, image.height))
    let scale = min(abs(1 - across) < abs(1 - down) ? across : down, limit)
    return Plan.Size(
      width: multiples(scale * Double(image.width)), height: multiples(scale * Double(image.height))
    )
  }

  /// Returns the multiple that is nearest to a length, at least one; halves are rounded to even ones.
  private func multiples(_ length: Double) -> Int {
    max(Int((length / Double(multiple)).rounded(.toNearestOrEven)), 1) * multiple
  }

  /// Returns the sizes for a frame with a fixed height, which the image fills.
  private func plan(width: Int, height: Int, inRowsOf rows: Int) -> Plan {
    let natural = min(Double(rows) * (Double(width) / Double(height)), Double(maximum))
    let whole = (Int(natural) + multiple - 1) / multiple * multiple
    let length = min(max(whole, minimum, 1), maximum)
    let content = min(max(Int(natural.rounded(.up)), 1), length)
    return Plan(
      image: .init(width: width, height: height), content: .init(width: content, height: rows),
      frame: .init(width: length, height: rows))
  }

  /// Returns the sizes for a frame of any size, which is that of the image, scaled.
  private func freePlan(width: Int, height: Int) -> Plan {
    var image = Plan.Size(width: width, height: height)
    if max(image.width, image.height) > maximum {
      image = scaled(image, by: Double(maximum) / Double(max(image.width, image.height)))
    }
    if min(image.width, image.height) < minimum {
      let enlarged = Double(minimum) / Double(min(image.width, image.height))
      let limit = Double(maximum) / Double(max(image.width, image.height))
      image = scaled(image, by: max(1, min(enlarged, limit)))
    }
    var bar = 0
    if let barRatio,
      image.height <= minimum || Double(image.width) / Double(image.height) > barRatio
    {
      // Higher images than the limit are rejected later.
      let half = max(Int(min(Double(image.width) / barRatio, 1_048_576)), minimum)
      bar = abs(half * 2 - image.height) / 2
    }
    let padded = Plan.Size(width: image.width, height: image.height + 2 * bar)
    let (short, long) = (min(padded.width, padded.height), max(padded.width, padded.height))
    var scale = 1.0
    if let shorter, short < shorter {
      // A narrow image would take the memory of a very large one.
      let limit = Double(maximum) / (Double(short) * Double(long)).squareRoot()
      scale = max(1, min(Double(shorter) / Double(short), limit))
    }
    if let longer, Double(long) * scale > Double(longer) { scale = Double(longer) / Double(long) }
    let frame = scaled(padded, by: scale)
    return Plan(image: image, bar: bar, content: frame, frame: frame)
  }

  /// Returns a scaled size in multiples; halves are rounded to even ones.
  private func scaled(_ size: Plan.Size, by scale: Double) -> Plan.Size {
    func length(_ side: Int) -> Int {
      // Longer sides than the limit of images are rejected later.
      let whole = min(Int(Double(side) * scale), 1 << 24)
      return multiples(Double(whole))
    }
    return Plan.Size(width: length(size.width), height: length(size.height))
  }
}

extension ImageSides.Plan {
  /// The plan that stretches an image to a size.
  fileprivate init(image: Size, size: Size) {
    self.init(image: image, content: size, frame: size)
  }

  fileprivate var transposed: Self {
    Self(image: image.transposed, content: content.transposed, frame: frame.transposed)
  }
}

extension ImageSides.Plan.Size {
  fileprivate var transposed: Self { Self(width: height, height: width) }
}

extension ImagePreparation {
  /// Returns the size of the frame for an upright image.
  package func frameSize(forWidth width: Int, height: Int) -> (width: Int, height: Int) {
    guard let sides, width > 0, height > 0 else { return (self.width, self.height) }
    let frame = sides.plan(
      width: width, height: height, frame: .init(width: self.width, height: self.height)
    ).frame
    return (frame.width, frame.height)
  }

  /// Returns the size that a small upright image is enlarged to before anything else; that of the image for others.
  package func enlargedSize(forWidth width: Int, height: Int) -> (width: Int, height: Int) {
    guard let sides, self.width == 0, self.height == 0, width > 0, height > 0 else {
      return (width, height)
    }
    let size = sides.plan(width: width, height: height, frame: .init(width: 0, height: 0)).image
    return size.width >= width && size.height >= height
      ? (size.width, size.height) : (width, height)
  }

  /// Returns the size of the frame for an image file in memory, which is not decoded.
  package func frameSize(
    forFile bytes: [UInt8], orientation: ImageOrientation?
  ) throws(ImageError) -> (width: Int, height: Int) {
    let header = try ImageHeader(of: bytes)
    try ImageLimits.validate(width: header.width, height: header.height)
    let swaps = (orientation ?? header.orientation).swapsDimensions
    return swaps
      ? frameSize(forWidth: header.height, height: header.width)
      : frameSize(forWidth: header.width, height: header.height)
  }

  /// Returns the rows of an image that determines the size, without what follows it in the frame.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - sides: The rule.
  ///   - frame: The size of the frame, which several images may share.
  /// - Returns: The rows.
  /// - Throws: ``ImageError`` if the frame is too large.
  package func rows(
    of image: ImageBuffer, _ sides: ImageSides, in frame: (width: Int, height: Int)
  ) throws(ImageError) -> FittedRows {
    let plan = sides.plan(
      width: image.uprightWidth, height: image.uprightHeight,
      frame: .init(width: width, height: height))
    var prepared = image
    if plan.image != .init(width: image.uprightWidth, height: image.uprightHeight) {
      prepared = try fixed(to: plan.image).rows(of: image).image(as: image.format)
    }
    if plan.bar > 0 { prepared = try prepared.addingBars(ofHeight: plan.bar, pad) }
    var content = plan.content
    // A side that is open is as long as the image, in a frame that may be longer.
    if width == 0, height > 0 {
      content.width = min(sides.naturalLength(image, rows: height), frame.width)
    }
    if height == 0, width > 0 {
      content.height = min(sides.naturalLength(image, columns: width), frame.height)
    }
    let rows = try fixed(to: content).rows(of: prepared)
    return FittedRows(
      image: rows.image, preparation: rows.preparation, fit: rows.fit, plan: rows.plan,
      geometry: ImageGeometry(image, plan, content, frame))
  }

  /// Returns the preparation that stretches images to a size.
  private func fixed(to size: ImageSides.Plan.Size) -> ImagePreparation {
    var preparation = self
    (preparation.width, preparation.height) = (size.width, size.height)
    (preparation.sides, preparation.fit, preparation.resize) = (nil, .stretch, nil)
    return preparation
  }
}

extension ImageSides {
  /// Returns the width of an image at a height.
  fileprivate func naturalLength(_ image: ImageBuffer, rows: Int) -> Int {
    Self.length(rows, Double(image.uprightWidth) / Double(image.uprightHeight))
  }

  /// Returns the height of an image at a width.
  fileprivate func naturalLength(_ image: ImageBuffer, columns: Int) -> Int {
    Self.length(columns, Double(image.uprightHeight) / Double(image.uprightWidth))
  }

  private static func length(_ side: Int, _ ratio: Double) -> Int {
    max(Int(min(Double(side) * ratio, Double(ImageLimits.maxSide)).rounded(.up)), 1)
  }
}

extension ImageGeometry {
  /// Creates the geometry of an image that determines the size of its frame.
  fileprivate init(
    _ image: ImageBuffer, _ plan: ImageSides.Plan, _ content: ImageSides.Plan.Size,
    _ frame: (width: Int, height: Int)
  ) {
    let reduction = image.uprightReduction
    let across = Double(image.uprightWidth) * reduction.x
    let down = Double(image.uprightHeight) * reduction.y / Double(plan.image.height)
    let scaleX = across / Double(content.width)
    let scaleY = Double(plan.image.height + 2 * plan.bar) / Double(content.height) * down
    self.init(
      imageWidth: Int(across.rounded()),
      imageHeight: Int((Double(image.uprightHeight) * reduction.y).rounded()),
      modelWidth: frame.width, modelHeight: frame.height,
      modelToImage: AffineMap(
        a: scaleX, b: 0, c: 0, d: scaleY, tx: 0, ty: -Double(plan.bar) * down))
  }
}

extension ImageBuffer {
  /// Returns the upright image between bars of a color.
  fileprivate func addingBars(
    ofHeight height: Int, _ color: PixelColor
  ) throws(ImageError) -> ImageBuffer {
    let image = upright()
    let pixel = color.bytes(as: format)
    let row = (0..<image.width).flatMap { _ in pixel }
    try ImageLimits.validate(width: image.width, height: image.height + 2 * height)
    var pixels: [UInt8] = []
    pixels.reserveCapacity(row.count * (image.height + 2 * height))
    for _ in 0..<height { pixels += row }
    pixels += image.pixels
    for _ in 0..<height { pixels += row }
    return try ImageBuffer(
      width: image.width, height: image.height + 2 * height, format: format, pixels: pixels)
  }
}
