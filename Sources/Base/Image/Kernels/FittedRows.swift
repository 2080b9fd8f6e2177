/// The rows of an image fitted into a frame.
///
/// They are computed on each iteration.
package struct FittedRows: Sendable {
  /// The correspondence between the frame and the image.
  package let geometry: ImageGeometry

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
  /// The number of pixels of a row.
  package var width: Int { preparation.width }
  /// The number of rows.
  package var height: Int { preparation.height }

  /// Calls a closure with each row of the frame, top to bottom, in the given format.
  ///
  /// A row is valid only during the call. Alpha is copied if both the image and the format have it,
  /// and opaque if only the format has it.
  package func forEach<Failure: Error>(
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

  /// Calls a closure with the rows of the frame, top to bottom, for each contiguous run of rows in
  /// memory.
  package func forEachContiguousRun<Failure: Error>(
    as format: PixelFormat, _ body: (Int, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    // Conversion to gray comes first, which leaves fewer bytes to resample and matches training
    // scripts.
    let working = format == .gray ? .gray : image.format
    let content = fit.targetRegion
    let padding = paddingRow(as: format)
    for y in 0..<content.y { try body(y, padding.span) }
    try unsafe image.withPixels { (pixels) throws(Failure) in
      let stages = unsafe plan.stages(for: image, at: pixels, as: working, content: content)
      if working == format, content.width == preparation.width {
        try forEachRun(of: stages, body)
      } else {
        try convert(stages, from: working, to: format, into: padding, body)
      }
    }
    for y in content.y + content.height..<preparation.height { try body(y, padding.span) }
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
        let pixels = unsafe UnsafeBufferPointer(start: rows[index], count: count * stages.rowBytes)
        try unsafe body(content.y + start + index, pixels.span)
        index += count
      }
    }
  }

  /// Returns the number of consecutive rows, starting at `first`, that are contiguous in memory.
  private static func contiguousCount(
    from first: Int, in rows: UnsafeMutableBufferPointer<UnsafePointer<UInt8>>, rowBytes: Int
  ) -> Int {
    var next = first + 1
    while unsafe next < rows.count && rows[next] == rows[next - 1] + rowBytes { next += 1 }
    return next - first
  }

  private func convert<Failure: Error>(
    _ stages: any RowStage, from working: PixelFormat, to format: PixelFormat,
    into padding: [UInt8], _ body: (Int, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let content = fit.targetRegion
    var row = padding
    for y in 0..<content.height {
      let source = unsafe stages.rows(y..<y + 1)[0]
      unsafe row.withUnsafeMutableBufferPointer { row in
        guard let base = row.baseAddress else { return }
        unsafe PixelKernels.convert(
          source, from: working, to: base + content.x * format.bytesPerPixel, as: format,
          count: content.width)
      }
      try body(content.y + y, row.span)
    }
  }

  private func paddingRow(as format: PixelFormat) -> [UInt8] {
    let pixel = preparation.pad.bytes(as: format)
    return (0..<preparation.width).flatMap { _ in pixel }
  }

  /// Returns the frame as an image.
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
