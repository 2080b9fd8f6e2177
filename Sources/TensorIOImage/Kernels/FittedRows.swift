/// A picture ready to give the rows of a frame, as often as they are asked for.
public struct FittedRows: Sendable {
  /// How the frame corresponds to the picture.
  public let geometry: ImageGeometry

  let image: ImageBuffer
  let preparation: ImagePreparation
  let fit: FitGeometry
  let plan: ResamplingPlan

  init(
    image: ImageBuffer, preparation: ImagePreparation, fit: FitGeometry, plan: ResamplingPlan,
    geometry: ImageGeometry
  ) {
    self.image = image
    self.preparation = preparation
    self.fit = fit
    self.plan = plan
    self.geometry = geometry
  }
}

extension FittedRows {
  /// Lends the rows of the frame one by one, top to bottom, in the wanted channels.
  ///
  /// The bytes of a row are there only while the closure runs. Alpha is passed on where both
  /// picture and wanted channels have it, and opaque where the picture has none.
  public func forEach<Failure: Error>(
    as format: PixelFormat, _ body: (Int, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let rowBytes = preparation.width * format.bytesPerPixel
    try forEachContiguousRun(as: format) { (first, rows) throws(Failure) in
      for index in 0..<rows.count / rowBytes {
        let start = index * rowBytes
        try body(first + index, rows.extracting(start..<start + rowBytes))
      }
    }
  }

  /// Lends the rows of the frame, top to bottom: as many at once as lie one behind the other.
  package func forEachContiguousRun<Failure: Error>(
    as format: PixelFormat, _ body: (Int, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    // Gray is made first, from fewer bytes then, as training scripts do it.
    let working = format == .gray ? .gray : image.format
    let content = fit.targetRegion
    let bars = paddingRow(as: format)
    for y in 0..<content.y { try body(y, bars.span) }
    try unsafe image.withPixels { (pixels) throws(Failure) in
      let stages = unsafe plan.stages(for: image, at: pixels, as: working, content: content)
      if working == format, content.width == preparation.width {
        try forEachRun(of: stages, body)
      } else {
        try convert(stages, from: working, to: format, into: bars, body)
      }
    }
    for y in content.y + content.height..<preparation.height { try body(y, bars.span) }
  }

  private func forEachRun<Failure: Error>(
    of stages: any RowStage, _ body: (Int, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let content = fit.targetRegion
    for start in stride(from: 0, to: content.height, by: ResamplingPlan.maxRowsPerCall) {
      let range = start..<min(start + ResamplingPlan.maxRowsPerCall, content.height)
      let rows = unsafe stages.rows(range)
      var index = 0
      while index < rows.count {
        let count = unsafe Self.contiguousCount(from: index, in: rows, rowBytes: stages.rowBytes)
        try body(
          content.y + start + index,
          unsafe Span(_unsafeStart: rows[index], count: count * stages.rowBytes))
        index += count
      }
    }
  }

  /// How many rows, from one of them, lie one behind the other.
  private static func contiguousCount(
    from first: Int, in rows: UnsafeMutableBufferPointer<UnsafePointer<UInt8>>, rowBytes: Int
  ) -> Int {
    var next = first + 1
    while unsafe next < rows.count && rows[next] == rows[next - 1] + rowBytes { next += 1 }
    return next - first
  }

  private func convert<Failure: Error>(
    _ stages: any RowStage, from working: PixelFormat, to format: PixelFormat, into bars: [UInt8],
    _ body: (Int, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let content = fit.targetRegion
    var row = bars
    for y in 0..<content.height {
      let made = unsafe stages.rows(y..<y + 1)[0]
      unsafe row.withUnsafeMutableBufferPointer { row in
        guard let base = row.baseAddress else { return }
        unsafe PixelKernels.convert(
          made, from: working, to: base + content.x * format.bytesPerPixel, as: format,
          count: content.width)
      }
      try body(content.y + y, row.span)
    }
  }

  private func paddingRow(as format: PixelFormat) -> [UInt8] {
    let pixel = preparation.pad.bytes(as: format)
    return (0..<preparation.width).flatMap { _ in pixel }
  }

  /// The frame as a picture.
  func image(as format: PixelFormat) -> ImageBuffer {
    var pixels: [UInt8] = []
    let rowBytes = preparation.width * format.bytesPerPixel
    pixels.reserveCapacity(rowBytes * preparation.height)
    forEachContiguousRun(as: format) { _, rows in
      unsafe rows.withUnsafeBufferPointer { unsafe pixels.append(contentsOf: $0) }
    }
    return ImageBuffer(
      unchecked: pixels, width: preparation.width, height: preparation.height, format: format,
      bytesPerRow: rowBytes, orientation: .up)
  }
}
