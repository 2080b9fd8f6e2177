import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIODrawing

@Suite(.ownThreads) struct ScorePanelTests {
  static let cats = ScorePanel([
    .init(label: "tabby", score: 0.83, index: 281), .init(label: "Egyptian cat", score: 0.11),
    .init(label: "lynx", score: 0.04),
  ])

  @Test(arguments: [(1, 1), (8, 8), (64, 64), (8, 3000), (3000, 2), (500, 374), (4000, 3000)])
  func `A panel fits on an image of any size`(width: Int, height: Int) throws {
    var canvas = try Canvas(enlarging: plain(width, height, gray: 90))
    let layout = ScorePanelLayout(Self.cats, on: canvas)
    #expect(layout.box.x >= 0 && layout.box.maxX <= Double(canvas.width))
    #expect(layout.box.y >= 0 && layout.box.maxY <= Double(canvas.height))
    #expect(!layout.entries.isEmpty)
    let before = try canvas.image
    canvas.draw(Self.cats)
    #expect(try canvas.image != before)
  }

  @Test(arguments: [(1, 1), (8, 8), (30, 200)])
  func `A panel is clipped on a canvas that is too small`(width: Int, height: Int) throws {
    var canvas = try Canvas(plain(width, height))
    canvas.draw(Self.cats)
    #expect(try canvas.image.width == width)
  }

  @Test(arguments: [UInt8(0), 128, 255])
  func `Text is legible on any background`(gray: UInt8) throws {
    var canvas = try Canvas(plain(500, 400, gray: gray))
    canvas.draw(Self.cats)
    let box = ScorePanelLayout(Self.cats, on: canvas).box
    let image = try canvas.image
    let (columns, rows) = (Int(box.x)..<Int(box.maxX), Int(box.y)..<Int(box.maxY))
    let lumas = rows.flatMap { y in columns.map { x in image[x, y].luma } }
    let background = try #require(lumas.sorted().dropFirst(lumas.count / 4).first)
    #expect(background < 100)
    #expect(try #require(lumas.max()) > 240)
  }

  @Test func `A bar is proportional to its score and empty if it rounds to zero`() throws {
    let lengths = try [0, 0.000_4, 0.25, 0.5, 1].map { score in
      var canvas = try Canvas(plain(600, 400))
      canvas.draw(ScorePanel([.init(label: "one", score: score, index: 3)]))
      let color = Color.forClass(3)
      let expected = PixelColor(red: color.red, green: color.green, blue: color.blue)
      let image = try canvas.image
      let layout = ScorePanelLayout(ScorePanel([.init(label: "one", score: score)]), on: canvas)
      let row = Int(layout.rowY(0) + layout.rowHeight / 2)
      let length = (0..<600).count { image[$0, row] == expected }
      return Double(length) / layout.barLength
    }
    #expect(zip(lengths, [0, 0, 0.25, 0.5, 1]).allSatisfy { abs($0 - $1) < 0.04 })
  }

  @Test func `An empty panel draws nothing`() throws {
    var canvas = try Canvas(plain(50, 50, gray: 7))
    canvas.draw(ScorePanel([]))
    #expect(try canvas.image.inkedPixels(on: 7).isEmpty)
  }

  @Test func `Long labels are truncated and scores are not`() throws {
    let label = String(repeating: "endless ", count: 1_000)
    let panel = ScorePanel([.init(label: label, score: 0.5), .init(label: "b", score: 0.5)])
    let canvas = try Canvas(plain(640, 480))
    let layout = ScorePanelLayout(panel, on: canvas)
    #expect(layout.labels[0].hasSuffix("…") && layout.labels[1] == "b")
    #expect(layout.box.maxX <= 640 && layout.barX + layout.barLength < layout.scoreMaxX)
  }

  @Test func `The last entries are omitted if they do not fit`() throws {
    let many = (0..<1_000).map { ScorePanel.Entry(label: "\($0)", score: 0.5) }
    let canvas = try Canvas(plain(640, 480))
    let layout = ScorePanelLayout(ScorePanel(many), on: canvas)
    #expect(layout.box.height <= 240)
    #expect(layout.entries.count > 5 && layout.entries.count < 20)
    #expect(layout.labels.first == "0")
  }

  @Test(arguments: [
    (1.0, "100.0 %"), (0.9734, "97.3 %"), (0.0, "0.0 %"), (-0.0, "0.0 %"), (1e-9, "0.0 %"),
    (12.345, "12.35"), (-0.5, "-0.50"), (.nan, "–"), (.infinity, "inf"), (1e300, "1e+300"),
  ])
  func `A score between 0 and 1 is written in percent`(score: Double, text: String) {
    #expect(ScorePanel.Entry(label: "", score: score).scoreText == text)
  }

  @Test func `Scores that are out of range draw valid bars`() throws {
    var canvas = try Canvas(plain(500, 400))
    let scores = [Double.nan, .infinity, -.infinity, -3, 1e300]
    canvas.draw(ScorePanel(scores.map { .init(label: "x", score: $0, index: .min) }))
    _ = try canvas.image
  }
}
