/// Which part of an upright picture goes where in the frame.
struct Placement: Hashable {
  /// A rectangle in real coordinates.
  struct Region: Hashable {
    var x, y, width, height: Double
  }

  /// The part of the picture that is seen.
  let region: Region
  /// Where in the frame it is seen.
  let content: PixelRegion

  /// The placement of a picture; `nil` where picture or frame have no area or too long sides.
  init?(_ preparation: ImagePreparation, pictureWidth: Int, pictureHeight: Int) {
    let (width, height) = (preparation.width, preparation.height)
    let sides = [width, height, pictureWidth, pictureHeight]
    // Products of two such sides cannot overflow. A JPEG's sides may be as long as 65,535.
    guard sides.allSatisfy({ $0 > 0 && $0 <= Int(UInt16.max) }) else { return nil }
    let whole = Region(x: 0, y: 0, width: Double(pictureWidth), height: Double(pictureHeight))
    let frame = PixelRegion(x: 0, y: 0, width: width, height: height)
    switch preparation.fit {
    case .stretch: (region, content) = (whole, frame)
    case .crop: (region, content) = (Self.centre(of: whole, shapedLike: frame), frame)
    case .letterbox: (region, content) = (whole, Self.inside(frame, pictureWidth, pictureHeight))
    }
  }

  private static func centre(of whole: Region, shapedLike frame: PixelRegion) -> Region {
    let (width, height) = (Double(frame.width), Double(frame.height))
    if whole.width * height > whole.height * width {
      let kept = whole.height * width / height
      return Region(x: (whole.width - kept) / 2, y: 0, width: kept, height: whole.height)
    }
    let kept = whole.width * height / width
    return Region(x: 0, y: (whole.height - kept) / 2, width: whole.width, height: kept)
  }

  private static func inside(
    _ frame: PixelRegion, _ pictureWidth: Int, _ pictureHeight: Int
  ) -> PixelRegion {
    var content = frame
    if pictureWidth * frame.height > pictureHeight * frame.width {
      content.height = max(1, rounded(pictureHeight * frame.width, over: pictureWidth))
    } else {
      content.width = max(1, rounded(pictureWidth * frame.height, over: pictureHeight))
    }
    content.x = (frame.width - content.width) / 2
    content.y = (frame.height - content.height) / 2
    return content
  }

  /// A quotient rounded half up.
  private static func rounded(_ dividend: Int, over divisor: Int) -> Int {
    (2 * dividend + divisor) / (2 * divisor)
  }
}
