extension PreparedRows {
  /// Lends the rows of the frame one by one, top to bottom, in the wanted channels.
  ///
  /// The bytes of a row are there only while the closure runs. Alpha is passed on where both
  /// picture and wanted channels have it, and opaque where the picture has none.
  public func forEach<Failure: Error>(
    as format: PixelFormat, _ body: (Int, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    // Gray is made first, from fewer bytes then, as training scripts do it.
    let working = format == .gray ? .gray : image.format
    try unsafe image.withPixels { (pixels) throws(Failure) in
      let stages = unsafe plan.stages(
        for: image, at: pixels, as: working, content: placement.content)
      try deliver(stages, in: working, as: format, body)
    }
  }

  private func deliver<Failure: Error>(
    _ stages: any RowStage, in working: PixelFormat, as format: PixelFormat,
    _ body: (Int, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let content = placement.content
    let bars = barRow(as: format)
    var row = bars
    let isLent = working == format && content.width == preparation.width
    for y in 0..<preparation.height {
      guard y >= content.y, y < content.y + content.height else {
        try body(y, bars.span)
        continue
      }
      let made = unsafe stages.rows(y - content.y..<y - content.y + 1)[0]
      if isLent {
        try body(y, unsafe Span(_unsafeStart: made, count: stages.rowBytes))
        continue
      }
      unsafe row.withUnsafeMutableBufferPointer { row in
        guard let base = row.baseAddress else { return }
        unsafe PixelKernels.convert(
          made, from: working, to: base + content.x * format.bytesPerPixel, as: format,
          count: content.width)
      }
      try body(y, row.span)
    }
  }

  private func barRow(as format: PixelFormat) -> [UInt8] {
    let pixel = preparation.pad.bytes(as: format)
    return (0..<preparation.width).flatMap { _ in pixel }
  }

  /// The frame as a picture.
  func image(as format: PixelFormat) -> ImageBuffer {
    var pixels: [UInt8] = []
    let rowBytes = preparation.width * format.bytesPerPixel
    pixels.reserveCapacity(rowBytes * preparation.height)
    forEach(as: format) { _, row in
      unsafe row.withUnsafeBufferPointer { unsafe pixels.append(contentsOf: $0) }
    }
    return ImageBuffer(
      unchecked: pixels, width: preparation.width, height: preparation.height, format: format,
      bytesPerRow: rowBytes, orientation: .up)
  }
}
