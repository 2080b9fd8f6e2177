import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

/// A page as a browser lays it out.
@Suite(.enabled(if: Chromium.installed != nil, "Chromium is not there"), .timeLimit(.minutes(3)))
struct ReportLayoutTests {
  /// Where the page and its drawings stay, to be looked at.
  private static let folder = ProjectFiles.path(".build/report-pages")

  /// How wide a window is, and what its owner prefers.
  static let windows = [(1200, false), (1200, true), (500, false)]

  /// Asks the browser where things are: it has no other way to tell than the page itself.
  private static let question = """
    <script>
      const box = element => element.getBoundingClientRect();
      const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255)
        .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      const numbers = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
      const ground = element => {
        for (; element; element = element.parentElement) {
          const colour = numbers(getComputedStyle(element).backgroundColor);
          if (colour.length === 3 || colour[3] === 1) return colour.slice(0, 3);
        }
        return [255, 255, 255];
      };
      const contrast = element => {
        const style = getComputedStyle(element);
        const ink = numbers(element.closest('svg') ? style.fill : style.color);
        const [a, b] = [luminance(ink), luminance(ground(element))].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05);
      };
      addEventListener('load', () => {
        document.querySelectorAll('details').forEach(element => element.open = true);
        const images = [...document.querySelectorAll('img')];
        const charts = [...document.querySelectorAll('svg.chart')];
        const texts = [...document.querySelectorAll('p, th, td, text, span, b, i, code, li, small, summary')];
        const faint = texts.filter(each => each.textContent.trim() && contrast(each) < 4.5);
        document.body.dataset.facts = [
          'images', images.length, 'shown',
          images.filter(each => each.naturalWidth > 0 && box(each).width > 40).length,
          'charts', charts.length, 'laid', charts.filter(each => box(each).width > 200).length,
          'wider', document.documentElement.scrollWidth - document.documentElement.clientWidth, 'faint', faint.length,
          faint.length ? faint[0].outerHTML.slice(0, 80) : ''
        ].join(' ');
      });
    </script>
    """

  private func page() throws -> (folder: TemporaryFolder, path: String) {
    let html = try String(decoding: RealReport.page(), as: UTF8.self)
    let folder = try TemporaryFolder()
    let open = html.replacing("default-src &apos;none&apos;; ", with: "")
    let path = try folder.write(
      open.replacing("</body>", with: Self.question + "</body>"), to: "report.html")
    return (folder, path)
  }

  @Test(arguments: Self.windows)
  func `pictures and charts are laid out, and texts can be read`(_ width: Int, _ isDark: Bool)
    throws
  {
    let chromium = try #require(Chromium.installed)
    let (folder, path) = try page()
    defer { withExtendedLifetime(folder) {} }
    let elements = try chromium.elements(of: path, width: width, isDark: isDark)
    let facts = try #require(elements.firstMatch(of: /data-facts="([^"]*)"/)?.1)
    // Two models with three mistakes and twelve best answers, and five charts each.
    #expect(facts == "images 30 shown 30 charts 10 laid 10 wider 0 faint 0 ")
  }

  @Test(arguments: [false, true])
  func `the page is drawn, light or dark`(isDark: Bool) throws {
    let chromium = try #require(Chromium.installed)
    let page = Self.folder + "/digits.html"
    try FileManager.default.createDirectory(atPath: Self.folder, withIntermediateDirectories: true)
    try Data(RealReport.page()).write(to: URL(filePath: page), options: .atomic)
    let drawing = "\(Self.folder)/digits-\(isDark ? "dark" : "light").png"
    try chromium.draw(page, to: drawing, isDark: isDark)
    let picture = try ImageBuffer(contentsOf: drawing)
    #expect(picture.width == 1200 && picture.height == 2400)
    let lumas = picture.lumas
    let paper = lumas[0]
    #expect(isDark ? paper < 40 : paper > 230)
    let drawn = lumas.count { abs(Int($0) - Int(paper)) > 40 }
    #expect(Double(drawn) > 0.01 * Double(lumas.count) && drawn < lumas.count / 2)
  }
}

extension ImageBuffer {
  /// How bright each pixel is.
  fileprivate var lumas: [UInt8] {
    (0..<height).flatMap { y in (0..<width).map { self[$0, y].luma } }
  }
}
