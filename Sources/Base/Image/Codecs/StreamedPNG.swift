/// A PNG that can be resampled while it is decoded: upright, not interlaced, and large enough to
/// make a difference.
struct StreamedPNG {
  /// The smallest area, in pixels, of an image that is resampled while it is decoded.
  static let minArea = 1 << 21

  let structure: PNGStructure
  private let essentials: [UInt8]

  /// Returns `nil` if the image has to be decoded completely, or cannot be decoded.
  init?(
    _ structure: PNGStructure, orientation: ImageOrientation?, minArea: Int = StreamedPNG.minArea
  ) {
    guard (orientation ?? structure.orientation) == .up, !structure.isInterlaced,
      (try? ImageLimits.validate(width: structure.width, height: structure.height)) != nil,
      structure.width * structure.height >= minArea,
      let essentials = structure.essentialChunks
    else { return nil }
    (self.structure, self.essentials) = (structure, essentials)
  }

  /// Returns the content of a frame in the format of the file, or in gray.
  ///
  /// The pixels equal those of decoding the image first.
  func fittedContent(
    for preparation: ImagePreparation, isGray: Bool
  ) throws(ImageError) -> ImageBuffer {
    let (width, height) = (structure.width, structure.height)
    let (fit, plan) = try preparation.resampling(imageWidth: width, imageHeight: height)
    let content = fit.targetRegion
    let format = isGray || structure.isGray ? PixelFormat.gray : .rgb
    let rowBytes = content.width * format.bytesPerPixel
    let pixels = try unsafe essentials.withUnsafeBufferPointer { (file) throws(ImageError) in
      let reader = unsafe PNGRowReader(structure, file)
      let pixels = unsafe PixelKernels.makeBytes(count: rowBytes * content.height) { target in
        let stages = plan.stages(as: format, content: content) { capacity in
          DecodedRows(
            reader, width: width, height: height, as: format, rowIndices: plan.sourceRows,
            capacity: capacity)
        }
        for y in 0..<content.height {
          let row = unsafe stages.rows(y..<y + 1)
          unsafe (target + y * rowBytes).update(from: row[0], count: rowBytes)
        }
      }
      try reader.finish()
      return pixels
    }
    return ImageBuffer(
      unchecked: pixels, width: content.width, height: content.height, format: format,
      bytesPerRow: rowBytes, orientation: .up,
      fittedContent: FittedContent(
        preparation, fit,
        ImageGeometry(imageWidth: width, imageHeight: height, fit, preparation)))
  }

  /// The memory for decoding the image into a frame, in bytes.
  func byteCount(for preparation: ImagePreparation) -> Int {
    let rowBytes = structure.width * PixelFormat.rgb.bytesPerPixel
    let frame = preparation.width * preparation.height * PixelFormat.rgb.bytesPerPixel
    guard
      let (_, plan) = try? preparation.resampling(
        imageWidth: structure.width, imageHeight: structure.height)
    else { return 0 }
    let bufferedRows = plan.bufferedRows
    return essentials.count + frame + (bufferedRows.source + Self.decoderRows) * rowBytes
      + bufferedRows.resampled * preparation.width * PixelFormat.rgb.bytesPerPixel
  }

  /// The rows that the decoder and the stages buffer in addition to the resampling windows.
  private static let decoderRows = 8
}

extension ResamplingPlan {
  /// The numbers of full-width and of resampled rows that the stages keep.
  fileprivate var bufferedRows: (source: Int, resampled: Int) {
    guard case .filter(let lines) = vertical else { return (Self.maxRowsPerCall, 0) }
    return isVerticalFirst
      ? (lines.maxWindowLength + HorizontalPass.batch, HorizontalPass.batch)
      : (HorizontalPass.batch, lines.maxWindowLength + HorizontalPass.batch)
  }
}
