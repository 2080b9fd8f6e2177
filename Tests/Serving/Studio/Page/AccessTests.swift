import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// Accessibility: screen readers, the keyboard and small screens.
  @Suite struct AccessibilityTests {
    @Test(arguments: [
      "digits/try", "digits/about", "digits/images", "digits/evaluate", "digits/labels",
      "diabetes/try", "digits-embedder/try", "shape-detector/try", "decoder-growing/try",
      "tones/try", "topics/try", "topics/evaluate", "shape-segmenter/try",
    ])
    func `Every control has an accessible name`(address: String) async throws {
      let page = try await PageVisit(
        address,
        bundles: [
          "digits", "diabetes", "digits-embedder", "shape-detector", "shape-segmenter", "tones",
          "topics", ChatTests.bundle,
        ],
        data: [StudioHarness.heldOut])
      try await page.waitFor("!document.querySelector('.outputs > p')")
      #expect(try await page.unnamedControls() == [])
      #expect(try await page.controlCount() > 8)
      #expect(try await page.value(Self.skippedLevels).array?.map(\.text) == [])
      try await page.click("#open-settings")
      #expect(try await page.unnamedControls() == [])
      page.expectNoErrors()
    }

    /// The headings whose level is more than one below that of the heading before.
    private static let skippedLevels = """
      [...document.querySelectorAll("h1, h2, h3, h4, h5")].filter((each) => each.checkVisibility())
        .filter((each, index, all) => index > 0 && each.tagName[1] - all[index - 1].tagName[1] > 1)
        .map((each) => each.textContent)
      """

    @Test func `The headings of results are in order`() async throws {
      let page = try await PageVisit(
        "digits/evaluate", bundles: ["digits", "shape-detector"], data: [StudioHarness.heldOut])
      try await page.click(".evaluation-source:nth-child(2) button", "Evaluate")
      try await page.waitFor("document.querySelector('.correct-cell')")
      #expect(try await page.value(Self.skippedLevels).array?.map(\.text) == [])
      #expect(try await page.count(".chart-figure h3") == 8)
      #expect(try await page.unnamedControls() == [])
      let report = try #require(
        try await page.value("document.querySelector('.export-links a:last-child').href").string)
      let path = try #require(report.range(of: "/studio")).lowerBound
      try await page.open(String(report[path...]))
      try await page.waitFor("document.querySelector('.chart-figure h3')")
      #expect(try await page.value(Self.skippedLevels).array?.map(\.text) == [])
      #expect(try await page.unnamedControls() == [])
      try await page.open("/#/shape-detector/try")
      try await page.click(".box-form button", "Draw the correct boxes")
      try await page.click(".box-form button", "Add a box")
      #expect(try await page.value(Self.skippedLevels).array?.map(\.text) == [])
      #expect(try await page.unnamedControls() == [])
      page.expectNoErrors()
    }

    @Test func `The page can be operated with the keyboard`() async throws {
      let page = try await PageVisit("digits/try", bundles: ["digits", "pencil"])
      try await page.waitFor("document.querySelector('.score-bars li')")
      try await page.press("Tab", code: 9)
      #expect(try await page.value("document.activeElement.className").string == "skip-link")
      try await page.press("m")
      #expect(try await page.value("document.activeElement.dataset.name").string == "digits")
      try await page.press("Tab", code: 9)
      try await page.press("Enter", code: 13)
      try await page.waitFor("Pencil", in: "h1")
      try await page.waitFor("document.querySelector('img.output-image-content')")
      try await page.press("2")
      try await page.waitFor("document.querySelector('#tab-about').ariaSelected === 'true'")
      try await page.value("document.querySelector('#tab-about').focus()")
      try await page.press("ArrowRight", code: 39)
      try await page.waitFor("document.activeElement.id === 'tab-images'")
      try await page.press("?")
      try await page.waitFor("document.querySelector('#help').open")
      try await page.press("Escape", code: 27)
      try await page.waitFor("!document.querySelector('#help').open")
      page.expectNoErrors()
    }

    /// The elements that extend beyond the screen, or whose content does not fit; those that are meant
    /// to scroll are left out, on phones only tables and code.
    private static let cutOff = """
      [...document.querySelectorAll("body *")].filter((node) => {
        const scrolling = ".scroll, pre" + (innerWidth > 500 ? ", .thumbnails" : "");
        const isHidden = node.closest(".visually-hidden, .skip-link, svg");
        if (isHidden || node.closest(scrolling) || !node.checkVisibility()) return false;
        const { left, right } = node.getBoundingClientRect();
        const isClipped = getComputedStyle(node).overflowX !== "visible";
        return left < 0 || right > innerWidth || (isClipped && node.scrollWidth > node.clientWidth)
          || (node.matches(".tabs") && node.scrollHeight > node.clientHeight);
      }).map((node) => `${node.tagName} ${node.className}`)
      """

    @Test(arguments: [360, 390, 800, 1280])
    func `Nothing is wider than the screen or cut off`(width: Int) async throws {
      let page = try await PageVisit(
        "digits/try",
        bundles: [
          "digits", "digits-quantized", "diabetes", "shape-detector", "shape-segmenter", "tones",
          "topics", ChatTests.bundle,
        ],
        data: [StudioHarness.heldOut], width: width, height: 800)
      for address in [
        "digits/try", "digits/about", "digits/images", "digits/evaluate", "diabetes/try",
        "shape-detector/try", "decoder-growing/try", "tones/try", "topics/try", "topics/evaluate",
        "shape-segmenter/try", "nothing/try",
      ] {
        try await page.value("location.hash = '#/\(address)', 0")
        try await page.waitFor("location.hash === '#/\(address)'")
        try await Task.sleep(for: .milliseconds(300))
        let scrollWidth = try await page.value("document.documentElement.scrollWidth").number
        #expect(scrollWidth == Double(width), "\(address)")
        #expect(try await page.value(Self.cutOff).array?.map(\.text) == [], "\(address)")
      }
      page.expectNoErrors()
    }

    @Test func `Colors follow the system, and the toggle`() async throws {
      let page = try await PageVisit("digits/try", isDark: true)
      let background = "getComputedStyle(document.body).backgroundColor"
      #expect(try await page.value(background).string == "rgb(19, 21, 24)")
      try await page.click("#theme-toggle")
      #expect(try await page.value(background).string == "rgb(247, 246, 243)")
      page.expectNoErrors()
    }
  }
}

extension PageVisit {
  private static let roles: Set = [
    "button", "textbox", "searchbox", "spinbutton", "checkbox", "combobox", "listbox", "tab",
    "link", "slider", "radio", "progressbar", "DisclosureTriangle", "image", "img",
  ]

  private func nodes() async throws -> [JSONTree] {
    let tree = try await browser.call("Accessibility.getFullAXTree")
    return (tree["nodes"]?.array ?? []).filter { node in
      node["ignored"]?.bool != true && Self.roles.contains(node["role"]?["value"]?.string ?? "")
    }
  }

  /// Returns the number of controls in the accessibility tree.
  fileprivate func controlCount() async throws -> Int { try await nodes().count }

  /// Returns the controls without an accessible name.
  fileprivate func unnamedControls() async throws -> [String] {
    try await nodes().filter { ($0["name"]?["value"]?.string ?? "").isEmpty }.map(\.text)
  }
}
