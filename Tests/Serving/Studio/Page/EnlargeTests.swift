import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// Images that are enlarged, in the studio and in reports.
  @Suite struct EnlargeTests {
    private static let open = "document.querySelector('.frame:popover-open')"

    /// Opens the first image with the keyboard, checks it, and closes it.
    ///
    /// The studio moves the focus to the close button; in a report, which has no scripts, Tab does.
    private func expectEnlargement(
      _ page: PageVisit, _ name: String, isReport: Bool = false
    ) async throws {
      try await page.value("document.querySelector('.enlarge').focus()")
      try await page.press("Enter", code: 13)
      try await page.waitFor(Self.open)
      let isInside = """
        (() => {
          const { left, right, top, bottom, width } = \(Self.open).getBoundingClientRect();
          return left >= 0 && right <= innerWidth && top >= 48 && bottom <= innerHeight - 48
            && width > innerWidth / 4 && document.documentElement.scrollWidth <= innerWidth;
        })()
        """
      #expect(try await page.value(isInside).bool == true, "\(name)")
      if isReport { try await page.press("Tab", code: 9) }
      let isFocused = "document.activeElement === \(Self.open).querySelector('.close-enlarged')"
      try await page.waitFor(isFocused)
      let image = "\(Self.open).querySelector('img')"
      try await page.waitFor("\(image).naturalWidth > 0")
      #expect(
        try await page.value("\(image).alt.length > 0 && \(Self.open).dataset.caption.length > 0")
          .bool == true, "\(name)")
      try await page.press("Escape", code: 27)
      try await page.waitFor("!\(Self.open)")
      try await page.waitFor("document.activeElement.className === 'enlarge'")
    }

    private func forEachScreen(
      _ page: PageVisit, _ body: (String) async throws -> Void
    ) async throws {
      for (width, height) in [(1280, 900), (800, 900), (390, 800)] {
        for isDark in [false, true] {
          try await page.setSize(width, height)
          try await page.setColorScheme(isDark: isDark)
          try await body("\(width) \(isDark)")
        }
      }
    }

    @Test func `Images of an evaluation and its report are enlarged`() async throws {
      let page = try await PageVisit("digits/evaluate", data: [StudioHarness.heldOut])
      try await page.click(".evaluation-source:nth-child(2) button", "Evaluate")
      try await page.waitFor("document.querySelector('.misclassified-item .enlarge')")
      try await forEachScreen(page) { try await expectEnlargement(page, "studio \($0)") }
      let report = try #require(
        try await page.value("document.querySelector('.export-links a:last-child').href").string)
      let path = try #require(report.range(of: "/studio")).lowerBound
      try await page.open(String(report[path...]))
      try await page.waitFor("document.querySelector('.sample .enlarge')")
      // The content security policy forbids scripts and other resources.
      #expect(try await page.count("script, link, [src^=http]") == 0)
      try await forEachScreen(page) {
        try await expectEnlargement(page, "report \($0)", isReport: true)
      }
      // A click opens, and a click beside the image closes.
      try await page.click(".sample .enlarge")
      try await page.waitFor(Self.open)
      try await page.clickAt(3, 400)
      try await page.waitFor("!\(Self.open)")
      page.expectNoErrors()
    }

    @Test func `Images of the tab Images are enlarged`() async throws {
      let page = try await PageVisit("shape-detector/images", bundles: ["shape-detector"])
      try await page.waitFor("document.querySelector('#view-images select')")
      try await page.choose(
        [StudioPageTests.sample("shape-detector/1.jpg")], in: "#view-images input[accept]")
      try await page.waitFor("Completed", in: "#view-images .progress-text")
      try await forEachScreen(page) { try await expectEnlargement(page, $0) }
      page.expectNoErrors()
    }

    @Test func `The thumbnail of a label becomes its image`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.drop([StudioPageTests.sample("digits/3-1.png")])
      try await page.waitFor("document.querySelector('.label-form input')?.value === '3'")
      try await page.click(".label-form button")
      try await page.waitFor("Saved", in: ".label-form")
      try await page.click("[role=tab]", "Labels")
      try await expectEnlargement(page, "labels")
      try await page.waitFor("document.querySelector('.annotations img').src.startsWith('blob:')")
      page.expectNoErrors()
    }
  }
}
