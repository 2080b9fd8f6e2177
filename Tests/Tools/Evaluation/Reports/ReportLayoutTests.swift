import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Tests of the page layout in a browser.
@Suite(
  .enabled(if: Chromium.installed != nil, "Chromium is not installed"), .hangGuard, .ownThreads)
struct ReportLayoutTests {
  /// The folder for the page and its screenshots, for manual inspection.
  private static let folder = ProjectFiles.path(".build/report-pages")

  /// Window widths, and whether the color scheme is dark.
  static let windows = [(1200, false), (1200, true), (500, false)]

  /// A script that measures the layout and stores the results in the page.
  private static let script = """
    <script>
      const box = element => element.getBoundingClientRect();
      const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255)
        .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      const numbers = color => (color.match(/[\\d.]+/g) || []).map(Number);
      const background = element => {
        for (; element; element = element.parentElement) {
          const color = numbers(getComputedStyle(element).backgroundColor);
          if (color.length === 3 || color[3] === 1) return color.slice(0, 3);
        }
        return [255, 255, 255];
      };
      const contrast = element => {
        const style = getComputedStyle(element);
        const textColor = numbers(element.closest('svg') ? style.fill : style.color);
        const [a, b] = [luminance(textColor), luminance(background(element))].sort((x, y) => y - x);
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
    let permissive = html.replacing("default-src &apos;none&apos;; ", with: "")
    let path = try folder.write(
      permissive.replacing("</body>", with: Self.script + "</body>"), to: "report.html")
    return (folder, path)
  }

  @Test(arguments: Self.windows)
  func `Images and charts are visible and text has sufficient contrast`(
    _ width: Int, _ isDark: Bool
  ) throws {
    let chromium = try #require(Chromium.installed)
    let (folder, path) = try page()
    defer { withExtendedLifetime(folder) {} }
    let elements = try chromium.elements(of: path, width: width, isDark: isDark)
    let facts = try #require(elements.firstMatch(of: /data-facts="([^"]*)"/)?.1)
    // Two models, each with three mistakes, twelve best predictions and eight charts.
    #expect(facts == "images 30 shown 30 charts 16 laid 16 wider 0 faint 0 ")
  }

  @Test(arguments: [false, true])
  func `The page is rendered in light and dark color schemes`(isDark: Bool) throws {
    let chromium = try #require(Chromium.installed)
    let page = Self.folder + "/digits.html"
    try FileManager.default.createDirectory(atPath: Self.folder, withIntermediateDirectories: true)
    try Data(RealReport.page()).write(to: URL(filePath: page), options: .atomic)
    let screenshot = "\(Self.folder)/digits-\(isDark ? "dark" : "light").png"
    try chromium.takeScreenshot(of: page, to: screenshot, isDark: isDark)
    let image = try ImageBuffer(contentsOf: screenshot)
    #expect(image.width == 1200 && image.height == 2400)
    let lumas = image.lumas
    let background = lumas[0]
    #expect(isDark ? background < 40 : background > 230)
    let foreground = lumas.count { abs(Int($0) - Int(background)) > 40 }
    #expect(Double(foreground) > 0.01 * Double(lumas.count) && foreground < lumas.count / 2)
  }
}

extension ImageBuffer {
  /// The luma of each pixel.
  fileprivate var lumas: [UInt8] {
    (0..<height).flatMap { y in (0..<width).map { self[$0, y].luma } }
  }
}
