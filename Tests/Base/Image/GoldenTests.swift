import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

/// The parameters encoded in the name of a golden file.
struct GoldenCase: CustomTestStringConvertible {
  let name: String
  let source: String
  let width: Int
  let height: Int
  let fit: ImageFit
  let filters: [ImageFilter]
  let orientations: [ImageOrientation]
  let format: PixelFormat

  init(fileName: String) throws {
    name = String(fileName.dropLast(4))
    let fields = name.components(separatedBy: "--")
    try #require(fields.count == 6)
    source = fields[0]
    let sides = fields[1].split(separator: "x").compactMap { Int($0) }
    (width, height) = (try #require(sides.first), try #require(sides.last))
    fit = try #require(ImageFit(rawValue: fields[2]))
    filters =
      try fields[3] == "all"
      ? [.lanczos, .bicubic, .bilinear, .area, .nearest]
      : [#require(ImageFilter(rawValue: fields[3]))]
    orientations =
      try fields[4] == "all"
      ? ImageOrientation.allCases : [#require(ImageOrientation(name: fields[4]))]
    format = try #require(PixelFormat(rawValue: fields[5]))
  }

  var testDescription: String { name }
}

@Suite(.ownThreads) struct ResamplingTests {
  @Test func `There are golden images`() {
    #expect(Fixtures.goldenNames.count >= 117)
  }

  @Test(arguments: Fixtures.goldenNames)
  func `Resampling gives the same pixels as Pillow`(fileName: String) throws {
    let golden = try GoldenCase(fileName: fileName)
    var source = try ImageBuffer(
      contentsOf: Fixtures.images.appending(path: "Sources/\(golden.source).png"))
    let mosaic = try ImageBuffer(
      contentsOf: Fixtures.folder.appending(path: "Golden/\(fileName)")
    ).converted(to: golden.format)
    for (row, orientation) in golden.orientations.enumerated() {
      source.orientation = orientation
      for (column, filter) in golden.filters.enumerated() {
        let preparation = ImagePreparation(
          width: golden.width, height: golden.height, fit: golden.fit, filter: filter)
        let tile = try mosaic.cropped(
          to: PixelRegion(
            x: column * golden.width, y: row * golden.height, width: golden.width,
            height: golden.height))
        let prepared = try preparation(source, as: golden.format)
        let difference = largestDifference(prepared.image.pixels, tile.pixels)
        #expect(difference == 0, "\(filter), \(orientation)")
      }
    }
  }
}
