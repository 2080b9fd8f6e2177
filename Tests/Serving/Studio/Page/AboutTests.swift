import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// The About tab.
  @Suite struct AboutTests {
    @Test func `The details and the card of a model are rendered`() async throws {
      let page = try await PageVisit("digits/about")
      try await page.waitFor("document.querySelector('.markdown h2')")
      #expect(try await page.text(".markdown h2") == "Handwritten digits")
      #expect(try await page.count(".markdown table tbody tr") > 1)
      #expect(try await page.text("#model-details").hasPrefix("Recognizes handwritten digits"))
      page.expectNoErrors()
    }

    @Test func `Markup of other elements and of scripts is not created`() async throws {
      let page = try await PageVisit("digits/about")
      let nodes = """
        import("/studio/dom.js").then(({ element, markupNodes }) => element("div", {}, markupNodes([
          ["script", {}, "1"], ["iframe", { src: "/" }], "<b>",
          ["p", { onclick: "1", href: "/", class: "a", style: "--width:3" }, ["em", {}, "c"]],
        ])).outerHTML)
        """
      let expected = #"<div>&lt;b&gt;<p class="a" style="--width: 3;"><em>c</em></p></div>"#
      let html = try await page.value(nodes).string?.replacing("--width:3", with: "--width: 3")
      #expect(html == expected)
      page.expectNoErrors()
    }
  }
}
