import TensorIOBundle
import TensorIOTestSupport
import Testing

@testable import TensorIOImage
@testable import TensorIOTasks

@Suite struct TextDetectionDecoderTests {
  private let decoder = TextDetectionDecoder.standard

  /// Returns a map with filled rectangles.
  private func map(
    _ width: Int, _ height: Int, _ boxes: [(x: Range<Int>, y: Range<Int>)], value: Float = 0.9
  ) -> [Float] {
    var map = [Float](repeating: 0, count: width * height)
    for box in boxes {
      for y in box.y { for x in box.x { map[y * width + x] = value } }
    }
    return map
  }

  @Test func `A map without probabilities has no boxes`() {
    #expect(decoder.boxes(in: [], width: 0).isEmpty)
    #expect(decoder.boxes(in: [1], width: 1).isEmpty)
    #expect(decoder.boxes(in: map(40, 30, []), width: 40).isEmpty)
  }

  @Test func `Values that are no numbers belong to no region`() {
    var values = map(40, 30, [(5..<30, 10..<20)])
    #expect(decoder.boxes(in: values.map { _ in .nan }, width: 40).isEmpty)
    values[15 * 40 + 12] = .nan
    let boxes = decoder.boxes(in: values, width: 40)
    #expect(boxes.count == 1 && boxes[0].score.isFinite)
    #expect(decoder.boxes(in: values.map { $0 > 0 ? .infinity : 0 }, width: 40).count == 1)
  }

  @Test func `Regions of one column or row have no area`() {
    var undilated = decoder
    undilated.dilates = false
    #expect(undilated.boxes(in: map(40, 30, [(5..<35, 10..<11)]), width: 40).isEmpty)
    #expect(undilated.boxes(in: map(40, 30, [(5..<6, 3..<29)]), width: 40).isEmpty)
    // Dilation makes them two pixels high, which is less than the minimum.
    #expect(decoder.boxes(in: map(40, 30, [(5..<35, 10..<11)]), width: 40).isEmpty)
  }

  @Test func `Pixels that touch at a corner are one region`() {
    var (dilated, undilated) = (decoder, decoder)
    (dilated.minimumScore, undilated.minimumScore, undilated.dilates) = (0, 0, false)
    let touching = map(60, 60, [(5..<25, 5..<15), (25..<45, 15..<25)])
    let apart = map(60, 60, [(5..<25, 5..<15), (26..<45, 16..<25)])
    #expect(undilated.boxes(in: touching, width: 60).count == 1)
    #expect(undilated.boxes(in: apart, width: 60).count == 2)
    #expect(dilated.boxes(in: apart, width: 60).count == 1)
  }

  @Test func `Branches that join below are one region`() {
    var undilated = decoder
    (undilated.dilates, undilated.minimumScore) = (false, 0)
    let fork = map(
      60, 40, [(5..<9, 5..<30), (25..<29, 5..<30), (45..<49, 5..<30), (5..<49, 30..<34)])
    #expect(undilated.boxes(in: fork, width: 60).count == 1)
  }

  @Test func `Noise has a bounded number of candidates, the largest ones`() {
    var generator = SeededGenerator(seed: 4)
    var values = (0..<600 * 400).map { _ in Float.random(in: 0...0.31, using: &generator) }
    for y in 380..<395 { for x in 40..<400 { values[y * 600 + x] = 0.95 } }
    var limited = decoder
    limited.candidateCount = 5
    let boxes = limited.boxes(in: values, width: 600)
    #expect(boxes.count == 1 && boxes[0].score > 0.6)
    #expect(decoder.boxes(in: values, width: 600).count < 1000)
  }

  @Test(arguments: [1.0, 2.0]) func `A box grows by its area over its outline`(ratio: Double) {
    var growing = decoder
    growing.unclipRatio = ratio
    growing.dilates = false
    let box = growing.boxes(in: map(100, 60, [(20..<61, 20..<31)]), width: 100)[0].box
    // The centers of the outer pixels are 40 and 10 apart.
    let distance = (400.0 / 100 * ratio).rounded()
    #expect(
      box.bounds
        == BoundingBox(
          xmin: 20 - distance, ymin: 20 - distance, xmax: 60 + distance, ymax: 30 + distance))
  }

  @Test func `A box grows at most beyond the image`() {
    var growing = decoder
    growing.unclipRatio = 1e30
    let boxes = growing.boxes(in: map(100, 60, [(20..<61, 20..<31)]), width: 100)
    #expect(boxes.count == 1 && boxes[0].box.bounds.width < 200_000)
  }

  @Test func `The score of a region ignores other pixels of its rectangle in the slow mode`() {
    var slow = decoder
    (slow.scoreMode, slow.dilates) = (.slow, false)
    let corner = map(80, 80, [(10..<60, 10..<20), (10..<20, 20..<60)])
    #expect(decoder.boxes(in: corner, width: 80).isEmpty)
    let boxes = slow.boxes(in: corner, width: 80)
    #expect(boxes.count == 1 && abs(boxes[0].score - 0.9) < 1e-6)
  }

  @Test func `A box outside of the image, or smaller than four pixels there, is dropped`() throws {
    let box = try #require(
      OrientedBox(
        [(10, 10), (40, 10), (40, 20), (10, 20)].map { AffineMap.Point(x: $0.0, y: $0.1) }))
    func mapped(_ scale: Double, _ shift: Double, _ width: Int, _ height: Int) -> OrientedBox? {
      TextDetectionDecoder.box(
        box, mappedBy: AffineMap(a: scale, b: 0, c: 0, d: scale, tx: shift, ty: 0),
        to: (width, height))
    }
    #expect(mapped(1, 0, 100, 100)?.bounds == box.bounds)
    #expect(mapped(1, 200, 100, 100) == nil)
    #expect(mapped(1, -60, 100, 100) == nil)
    #expect(mapped(0.3, 0, 100, 100) == nil)
    #expect(mapped(1, 0, 1, 1) == nil)
    #expect(mapped(1, 70, 100, 100)?.bounds == BoundingBox(xmin: 80, ymin: 10, xmax: 99, ymax: 20))
    #expect(mapped(.nan, 0, 100, 100) == nil)
  }
}

@Suite struct ReadingOrderTests {
  private func boxes(_ places: [(x: Double, y: Double)], width: Double = 80) throws -> [OrientedBox]
  {
    try places.map { x, y in
      try #require(
        OrientedBox([
          .init(x: x, y: y), .init(x: x + width, y: y), .init(x: x + width, y: y + 16),
          .init(x: x, y: y + 16),
        ]))
    }
  }

  @Test func `Rows are read from left to right, also if they are slanted`() throws {
    let boxes = try boxes(
      [(300, 12), (20, 15), (150, 9), (10, 60), (200, 52), (90, 69)], width: 10)
    #expect(ReadingOrder.rows.positions(of: boxes) == [1, 2, 0, 3, 4, 5])
  }

  @Test func `Columns of long lines are read one after the other`() throws {
    let left = (0..<4).map { (x: 10.0, y: 50 + 20 * Double($0)) }
    let right = (0..<4).map { (x: 110.0, y: 50 + 20 * Double($0)) }
    let rows = zip(left, right).flatMap { [$0, $1] }
    let all =
      try boxes([(x: 10, y: 20)], width: 180) + boxes(rows) + boxes([(x: 10, y: 140)], width: 180)
    #expect(ReadingOrder.columns.positions(of: all) == [0, 1, 3, 5, 7, 2, 4, 6, 8, 9])
    #expect(ReadingOrder.rows.positions(of: all) == Array(0..<10))
  }

  @Test func `The cells of a table are read by rows`() throws {
    let items = try boxes((0..<4).map { (x: 10, y: 20 * Double($0)) }, width: 90)
    var prices = try boxes((0..<4).map { (x: 300, y: 20 * Double($0)) }, width: 20)
    prices += try boxes([(x: 220, y: 80)], width: 100)
    let all = zip(items, prices).flatMap { [$0, $1] } + [prices[4]]
    #expect(ReadingOrder.columns.positions(of: all) == Array(0..<9))
  }

  @Test func `No boxes have no order`() {
    #expect(ReadingOrder.columns.positions(of: []).isEmpty)
    #expect(ReadingOrder.rows.positions(of: []).isEmpty)
  }
}
