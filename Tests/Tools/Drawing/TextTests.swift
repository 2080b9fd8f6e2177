import TensorIODrawing
import Testing

@Suite struct TextTests {
  static let texts = ["i", "jQ", "African elephant", "Ấgỹ", "Übergröße", "ффф", "—"]

  @Test(arguments: texts, [9.0, 13.5, 40])
  func `Text is drawn only inside its box`(_ text: String, size: Double) throws {
    var canvas = try Canvas(plain(480, 80, gray: 40))
    let corner = Canvas.Point(x: 11.25, y: 7.5)
    let (width, height) = (canvas.width(of: text, size: size), canvas.lineHeight(size: size))
    canvas.drawText(text, at: corner, size: size, color: .white)
    let inked = try canvas.image.inkedPixels(on: 40)
    #expect(!inked.isEmpty)
    let columns = Int(corner.x)...Int(corner.x + width)
    let rows = Int(corner.y)...Int(corner.y + height)
    #expect(inked.allSatisfy { columns.contains($0.x) && rows.contains($0.y) })
  }

  @Test func `Width grows with the text and with its size`() throws {
    let canvas = try Canvas(plain(1, 1))
    #expect(canvas.width(of: "", size: 20) == 0)
    #expect(canvas.width(of: "mm", size: 20) > canvas.width(of: "m", size: 20))
    let ratio = canvas.width(of: "tabby", size: 40) / canvas.width(of: "tabby", size: 20)
    #expect(abs(ratio - 2) < 0.02)
  }

  @Test func `Text that fits is not truncated`() throws {
    let canvas = try Canvas(plain(1, 1))
    #expect(canvas.truncated("tabby", toWidth: 200, size: 20) == "tabby")
  }

  @Test(arguments: [0.0, 10, 37, 90, 150])
  func `Text that does not fit is truncated as late as possible`(limit: Double) throws {
    let canvas = try Canvas(plain(1, 1))
    let text = "a label that is longer than the available width"
    let short = canvas.truncated(text, toWidth: limit, size: 15)
    #expect(short.hasSuffix("…"))
    #expect(short == "…" || canvas.width(of: short, size: 15) <= limit)
    let longer = text.prefix(short.count) + "…"
    #expect(canvas.width(of: String(longer), size: 15) > limit)
  }

  @Test(arguments: [
    "🐈‍⬛ 👩🏽‍🚀 emoji", "猫と犬", "قطة חתול", "one\ntwo\r\nthree\u{2028}four", "before\u{0}behind",
    "\u{7}\u{1b}[31m", "e\u{301}\u{302}\u{303}\u{304}", "\u{202E}reversed",
    "\u{10FFFF}\u{2FFFE}\u{E000}\u{FFFD}",
    "", " ",
  ])
  func `Text of all scripts is measured and drawn`(_ text: String) throws {
    var canvas = try Canvas(plain(300, 40))
    let width = canvas.width(of: text, size: 16)
    #expect(width.isFinite && width >= 0)
    canvas.drawText(text, at: .init(x: 0, y: 0), size: 16, color: .white)
    #expect(try canvas.image.inkedPixels(on: 0).allSatisfy { $0.x <= Int(width) })
  }

  @Test func `NUL and other control characters become spaces`() throws {
    let canvas = try Canvas(plain(1, 1))
    let spaced = canvas.width(of: "before behind", size: 16)
    #expect(canvas.width(of: "before\u{0}behind", size: 16) == spaced)
    #expect(canvas.width(of: "before\nbehind", size: 16) == spaced)
  }

  @Test func `Very long text is truncated before it is measured`() throws {
    var canvas = try Canvas(plain(200, 40))
    let endless = String(repeating: "word ", count: 200_000)
    #expect(canvas.width(of: endless, size: 10) == canvas.width(of: endless + "x", size: 10))
    canvas.drawText(endless, at: .init(x: 0, y: 0), size: 10, color: .white)
    #expect(canvas.truncated(endless, toWidth: 100, size: 10).hasSuffix("…"))
  }

  @Test(arguments: [Double.nan, .infinity, -5, 0, 1e9])
  func `Invalid text sizes are handled`(_ size: Double) throws {
    var canvas = try Canvas(plain(20, 20))
    canvas.drawText("A", at: .init(x: 0, y: 0), size: size, color: .white)
    #expect(canvas.width(of: "A", size: size).isFinite)
    #expect(canvas.lineHeight(size: size).isFinite)
    _ = try canvas.image
  }
}
