import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOData
@testable import TensorIODrawing
@testable import TensorIOEvaluation

@Suite(.ownThreads) struct MarkdownTests {
  @Test(arguments: [
    ("# Title\n## Part\n### Point", "<h3>Title</h3><h4>Part</h4><h5>Point</h5>"),
    ("one\ntwo\n\nthree", "<p>one two</p><p>three</p>"),
    (
      "a **b** *c* _d_ `<e>` f_g_h",
      "<p>a <strong>b</strong> <em>c</em> <em>d</em> <code>&lt;e&gt;</code> f_g_h</p>"
    ),
    ("- one\n  more\n- two", "<ul><li>one more</li><li>two</li></ul>"),
    ("1. one\n2. two", "<ol><li>one</li><li>two</li></ol>"),
    ("```sh\na <b\n\nc\n```\nd", "<pre tabindex=\"0\"><code>a &lt;b\n\nc</code></pre><p>d</p>"),
    ("---", "<hr/>"), ("", ""), ("#no heading", "<p>#no heading</p>"),
    (
      "[a](https://b.c/d?e=1&f)",
      "<p><a href=\"https://b.c/d?e=1&amp;f\" rel=\"noreferrer\">a</a></p>"
    ),
    ("[a](javascript:alert(1))", "<p>a)</p>"), ("![a](https://b.c/d.png)", "<p>a</p>"),
    ("[a](CARD.md)", "<p>a</p>"), ("\\*a\\*", "<p>*a*</p>"), ("2 * 3 * 4", "<p>2 * 3 * 4</p>"),
    ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>"),
    ("a\0b", "<p>a\u{FFFD}b</p>"), ("**open", "<p>**open</p>"), ("[open", "<p>[open</p>"),
    ("`open", "<p>`open</p>"),
  ])
  func `Markdown is rendered as HTML`(_ text: String, _ html: String) {
    #expect(Self.html(text) == html)
  }

  @Test(arguments: [
    ("> a **b**\n> > c\nd", "<blockquote><p>a <strong>b</strong> c</p></blockquote><p>d</p>"),
    ("> - a\n>\t> - b\n> # c", "<blockquote><ul><li>a</li><li>b</li></ul><h3>c</h3></blockquote>"),
    ("1) one\n2) two", "<ol><li>one</li><li>two</li></ol>"), ("- - -", "<hr/>"),
    ("[a](https://b.c 'd')", "<p><a href=\"https://b.c\" rel=\"noreferrer\">a</a></p>"),
    ("[a](JavaScript:alert)", "<p>a</p>"), ("[a](data:text/html,b)", "<p>a</p>"),
    ("[a](//b.c)", "<p>a</p>"), ("####### a", "<p>####### a</p>"), ("###### a", "<h5>a</h5>"),
  ])
  func `Quotations, numbers with parentheses, breaks and links are rendered`(
    _ text: String, _ html: String
  ) {
    #expect(Self.html(text) == html)
  }

  @Test func `An inert link is text with its destination as a tooltip`() {
    let markup = MarkdownRenderer(topHeading: 2, links: .inert).markup(
      MarkdownDocument("# [a](javascript:b)"))
    #expect(
      markup.source
        == "<h2><span class=\"link-text\" title=\"javascript:b\">a</span></h2>")
    let details = MarkdownRenderer(links: .inert).markup(MarkdownDocument.spans("# `a` b"))
    #expect(details.source == "# <code>a</code> b")
  }

  /// Returns the HTML of a card in a report.
  private static func html(_ text: String) -> String {
    MarkdownRenderer.report.markup(MarkdownDocument(text)).source
  }

  @Test(arguments: [
    "| a | b |\n|---|--:|\n| 1 | `2` |", "a | b\n---|---\n1 | `2`\n\nc | d",
    "| a | b |\n---|---\n| 1 | `2` |",
  ])
  func `A table has a header`(_ text: String) {
    let page = Self.html(text)
    #expect(
      page.contains(
        """
        <table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>\
        <tbody><tr><td>1</td><td><code>2</code></td></tr></tbody></table>
        """))
  }

  @Test func `A pipe with a backslash belongs to its cell`() {
    let document = MarkdownDocument("| a | b |\n|---|---|\n| 1\\|2 | 3 |")
    #expect(
      document.blocks == [
        .table(header: [[.text("a")], [.text("b")]], rows: [[[.text("1|2")], [.text("3")]]])
      ])
  }

  @Test func `Only the beginning of a long card is parsed`() {
    let text = String(repeating: "a", count: MarkdownDocument.maxBytes + 100)
    let start = String(text.prefix(MarkdownDocument.maxBytes))
    #expect(MarkdownDocument(text).blocks == [.paragraph([.text(start)])])
    #expect(MarkdownDocument.spans(text) == [.text(start)])
  }

  @Test(arguments: [
    "*", "**a", "[", "[a](", "`", "_", "| a |\n", "- a\n", "```\n", "# a\n", "\\", "<b>", "a|",
    "a|\n", "a|b\n-|-\n", ">", "> ", ">\n", "> - >", "![", "- ",
  ])
  func `Pathological cards are rendered in linear time`(_ piece: String) throws {
    let text = String(repeating: piece, count: MarkdownDocument.maxBytes / piece.utf8.count + 10)
    let time = try ThreadTime.measure {
      _ = try XMLReader.read(Array("<div>\(Self.html(text))</div>".utf8))
    }
    #expect(time < .seconds(20))
  }

  @Test(arguments: ProjectFiles.entries(of: "Examples/Bundles"))
  func `The cards of the examples are rendered as well-formed XML`(_ bundle: String) throws {
    guard let card = try? String(contentsOfFile: bundle + "/CARD.md", encoding: .utf8) else {
      return
    }
    let page = try XMLReader.read(Array("<div>\(Self.html(card))</div>".utf8))
    #expect(page["h3"] != nil && page["p"] != nil)
  }
}
