import TensorIOBundle
import TensorIOTestSupport
import Testing

@testable import TensorIOImage
@testable import TensorIOTasks

/// Tests of the steps between the networks that read text.
///
/// `Scripts/fixtures/golden/make-reading.py` computes the expected values with OpenCV and Clipper.
@Suite struct ReadingGeometryTests {
  private func points(_ pairs: [[Double]]) -> [AffineMap.Point] {
    pairs.map { AffineMap.Point(x: $0[0], y: $0[1]) }
  }

  private func isNear(
    _ found: [AffineMap.Point], _ expected: [[Double]], within tolerance: Double
  ) -> Bool {
    found.count == expected.count
      && zip(found, expected).allSatisfy {
        abs($0.x - $1[0]) <= tolerance && abs($0.y - $1[1]) <= tolerance
      }
  }

  private func image(_ picture: ReadingGeometry.Picture) throws -> ImageBuffer {
    try ImageBuffer(
      width: picture.width, height: picture.height, format: .gray,
      pixels: picture.blue.flatMap { $0 })
  }

  @Test func `The committed file can be read`() {
    #expect(ReadingGeometry.all.first?.geometry.map != nil)
  }

  @Test(arguments: ReadingGeometry.all.indices)
  func `A grown box has the minimal rectangle of Clipper's polygon`(index: Int) throws {
    for offset in ReadingGeometry.all[index].geometry.offsetAndMinimalRectangle {
      let box = try #require(OrientedBox(points(offset.box)))
      let (area, length) = (box.area, box.perimeter)
      // The shared file has three digits.
      #expect(abs(area * 1.6 / length - offset.distance) < 1e-3)
      let grown = box.points(grownBy: offset.distance)
      let minimal = try #require(OrientedBox.minimal(around: grown))
      let expected = try #require(OrientedBox.minimal(around: points(offset.clipper)))
      #expect(
        zip(minimal.box.readingOrder.corners, expected.box.readingOrder.corners).allSatisfy {
          abs($0.x - $1.x) < 1e-6 && abs($0.y - $1.y) < 1e-6
        })
      // OpenCV computes corners in single precision, and the file has three digits.
      #expect(
        isNear(minimal.box.readingOrder.corners, offset.minimalRectangle, within: 2e-3),
        "\(minimal.box.readingOrder.corners) \(offset.minimalRectangle)")
      #expect(abs(minimal.shortSide - offset.shortSide) < 2e-3)
    }
  }

  @Test(arguments: ReadingGeometry.all.indices)
  func `The size of a detector's input follows from that of the image`(index: Int) {
    for sizes in ReadingGeometry.all[index].geometry.sizes {
      var sides = ImageSides()
      (sides.minimum, sides.maximum, sides.multiple, sides.barRatio) = (30, 2000, 32, 8)
      sides.shorter = 736
      let open = ImageSides.Plan.Size(width: 0, height: 0)
      let (height, width) = (sizes.imageHW[0], sizes.imageHW[1])
      let plan = sides.plan(width: width, height: height, frame: open)
      #expect([plan.image.height, plan.image.width] == sizes.fitted)
      #expect(plan.bar == sizes.paddingEach)
      #expect([plan.frame.height, plan.frame.width] == sizes.detectorMin736)
      (sides.shorter, sides.longer) = (nil, 960)
      let reduced = sides.plan(width: width, height: height, frame: open)
      #expect([reduced.frame.height, reduced.frame.width] == sizes.detectorMax960)
    }
  }

  @Test(arguments: ReadingGeometry.all.indices)
  func `The content of a quadrilateral is that of OpenCV's perspective warp`(index: Int) throws {
    let geometry = ReadingGeometry.all[index].geometry
    let image = try image(geometry.image)
    for crop in geometry.crops {
      let line = TextLine(text: nil, score: 1, corners: points(crop.box))
      let found = try #require(
        try CroppedLine(line, in: image, scale: (1, 1), turnRatio: LineCrop.defaultTurnRatio))
      let upright = found.image.upright()
      #expect([upright.width, upright.height] == crop.size)
      #expect(Array(upright.pixels.prefix(upright.width)) == crop.blueRow0)
      if let sum = crop.blueSum { #expect(upright.pixels.reduce(0) { $0 + Int($1) } == sum) }
    }
  }

  @Test(arguments: ReadingGeometry.all.indices)
  func `The fixed linear filter differs from OpenCV by one at most`(index: Int) throws {
    let geometry = ReadingGeometry.all[index].geometry
    let image = try image(geometry.image)
    for resize in geometry.resizes {
      let preparation = ImagePreparation(
        width: resize.to[1], height: resize.to[0], fit: .stretch, filter: .linearFixed)
      let pixels = try preparation(image, as: .gray).image.pixels
      var differences = zip(pixels, resize.blueRow0).map { abs(Int($0) - Int($1)) }
      if let last = resize.blueLastRow {
        differences += zip(pixels.suffix(last.count), last).map { abs(Int($0) - Int($1)) }
      }
      #expect(differences.allSatisfy { $0 <= 1 })
      // Versions of OpenCV differ, too.
      #expect(differences.count { $0 > 0 } * 5 <= differences.count)
    }
  }

  @Test func `The boxes of a map are those of RapidOCR's decoder`() throws {
    let map = try #require(ReadingGeometry.all.first?.geometry.map)
    let values = map.values.map { Float($0) / 255 }
    let found = TextDetectionDecoder.standard.boxes(in: values, width: map.width)
    let (x, y) = (250 / Double(map.width), 140 / Double(map.height))
    let boxes = found.compactMap { box, score in
      TextDetectionDecoder.box(
        box, mappedBy: AffineMap(a: x, b: 0, c: 0, d: y, tx: 0, ty: 0), to: (250, 140)
      ).map { ($0, score) }
    }
    #expect(boxes.count == map.boxes.count && boxes.count == 3)
    for (found, expected) in zip(boxes, map.boxes) {
      #expect(
        isNear(found.0.corners, expected.box, within: 0), "\(found.0.corners) \(expected.box)")
      // OpenCV fills polygons by another rule.
      #expect(abs(Double(found.1) - expected.score) < 0.01)
    }
  }
}

extension TextDetectionDecoder {
  /// A decoder with the default settings.
  static let standard = TextDetectionDecoder(
    threshold: 0.3, minimumScore: 0.5, unclipRatio: 1.6, minimumSide: 3, dilates: true,
    scoreMode: .fast, candidateCount: 1000)
}
