import Foundation
import TensorIOTestSupport
import Testing

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
    ("**open", "<p>**open</p>"), ("[open", "<p>[open</p>"), ("`open", "<p>`open</p>"),
  ])
  func `Markdown is rendered as HTML`(_ text: String, _ html: String) {
    #expect(MarkdownDocument(text).markup.source == "<div class=\"markdown\">\(html)</div>")
  }

  @Test func `A table has a header`() {
    let page = MarkdownDocument("| a | b |\n|---|--:|\n| 1 | `2` |").markup.source
    #expect(
      page.contains(
        """
        <table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>\
        <tbody><tr><td>1</td><td><code>2</code></td></tr></tbody></table>
        """))
  }

  @Test(arguments: [
    "*", "**a", "[", "[a](", "`", "_", "| a |\n", "- a\n", "```\n", "# a\n", "\\", "<b>",
  ])
  func `Pathological cards are rendered in linear time`(_ piece: String) throws {
    let text = String(repeating: piece, count: MarkdownDocument.maxBytes / piece.utf8.count + 10)
    let time = try ThreadTime.measure {
      _ = try XMLReader.read(Array(MarkdownDocument(text).markup.source.utf8))
    }
    #expect(time < .seconds(20))
  }

  @Test(arguments: ProjectFiles.entries(of: "Examples/Bundles"))
  func `The cards of the examples are rendered as well-formed XML`(_ bundle: String) throws {
    guard let card = try? String(contentsOfFile: bundle + "/CARD.md", encoding: .utf8) else {
      return
    }
    let page = try XMLReader.read(Array(MarkdownDocument(card).markup.source.utf8))
    #expect(page["h3"] != nil && page["p"] != nil)
  }
}
