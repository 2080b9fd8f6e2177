import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// The page for those who use no mouse, no eyes, or a small screen.
  @Suite struct Access {
    @Test(arguments: [
      "digits/try", "digits/about", "digits/evaluate", "digits/labels", "diabetes/try",
      "digits-embedder/try", "shape-detector/try",
    ])
    func `every control has a name`(address: String) async throws {
      let page = try await PageVisit(
        address, bundles: ["digits", "diabetes", "digits-embedder", "shape-detector"],
        data: [StudioBench.heldOut])
      try await page.waitFor("!document.querySelector('.answers > p')")
      #expect(try await page.namelessControls() == [])
      #expect(try await page.controls() > 8)
      try await page.click("#open-settings")
      #expect(try await page.namelessControls() == [])
      page.expectPeace()
    }

    @Test func `the keyboard is enough`() async throws {
      let page = try await PageVisit("digits/try", bundles: ["digits", "pencil"])
      try await page.waitFor("document.querySelector('.bars li')")
      try await page.press("Tab", code: 9)
      #expect(try await page.value("document.activeElement.className").string == "skip")
      try await page.press("m")
      #expect(try await page.value("document.activeElement.dataset.name").string == "digits")
      try await page.press("Tab", code: 9)
      try await page.press("Enter", code: 13)
      try await page.waitFor("Pencil", in: "h1")
      try await page.waitFor("document.querySelector('img.made')")
      try await page.press("2")
      try await page.waitFor("document.querySelector('#tab-about').ariaSelected === 'true'")
      try await page.value("document.querySelector('#tab-about').focus()")
      try await page.press("ArrowRight", code: 39)
      try await page.waitFor("document.activeElement.id === 'tab-evaluate'")
      try await page.press("?")
      try await page.waitFor("document.querySelector('#help').open")
      try await page.press("Escape", code: 27)
      try await page.waitFor("!document.querySelector('#help').open")
      page.expectPeace()
    }

    @Test(arguments: [360, 390, 800, 1280])
    func `nothing is wider than the screen`(width: Int) async throws {
      let page = try await PageVisit(
        "digits/try", bundles: ["digits", "digits-quantized", "diabetes", "shape-detector"],
        data: [StudioBench.heldOut], width: width, height: 800)
      for address in ["digits/try", "digits/about", "digits/evaluate", "diabetes/try"] {
        try await page.value("location.hash = '#/\(address)', 0")
        try await page.waitFor("location.hash === '#/\(address)'")
        try await Task.sleep(for: .milliseconds(300))
        let wide = try await page.value("document.documentElement.scrollWidth").number
        #expect(wide == Double(width), "\(address)")
      }
      page.expectPeace()
    }

    @Test func `colours follow the machine, and the button`() async throws {
      let page = try await PageVisit("digits/try", isDark: true)
      let paper = "getComputedStyle(document.body).backgroundColor"
      #expect(try await page.value(paper).string == "rgb(19, 21, 24)")
      try await page.click("#theme")
      #expect(try await page.value(paper).string == "rgb(247, 246, 243)")
      page.expectPeace()
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

  /// How many controls there are for those who hear the page.
  fileprivate func controls() async throws -> Int { try await nodes().count }

  /// Those of them that have no name.
  fileprivate func namelessControls() async throws -> [String] {
    try await nodes().filter { ($0["name"]?["value"]?.string ?? "").isEmpty }.map(\.text)
  }
}
