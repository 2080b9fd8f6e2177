import TensorIOJSON
import Testing

@testable import TensorIOData
@testable import TensorIODrawing

@Suite struct MarkupTests {
  @Test(arguments: RandomReport.hostileTexts)
  func `Text is escaped`(_ text: String) throws {
    let markup = Markup.element("p", ["title": text], Markup(text))
    let read = try XMLReader.read(Array(markup.source.utf8))
    let expected = String(
      String.UnicodeScalarView(
        text.unicodeScalars.map {
          "\u{1}\u{1B}\u{7F}".unicodeScalars.contains($0) ? "\u{FFFD}" : $0
        }))
    #expect(read.children.isEmpty && read.text == expected)
    let inside = markup.source.dropFirst("<p title=".count).dropLast("</p>".count)
    #expect(!inside.contains("<") && inside.filter { $0 == ">" }.count == 1)
    #expect(inside.utf8.filter { $0 == UInt8(ascii: "\"") }.count == 2)
  }

  @Test func `Elements are written in order`() {
    let markup = Markup.element(
      "g", ["class": "a&b", "id": nil], .element("rect", ["x": "1"]), "it's", .element("td"))
    #expect(
      markup.source == #"<g class="a&amp;b"><rect x="1"/>it&apos;s<td></td></g>"#)
  }

  @Test func `Markup is written as a tree of names, attributes and children`() {
    var writer = JSONWriter()
    writer.value(
      Markup([
        .style("p { color: red }"), "<b>",
        .element("p", ["class": "a", "id": nil], "1 ", .element("br")),
      ]))
    #expect(writer.string == #"["<b>",["p",{"class":"a"},"1 ",["br",{}]]]"#)
  }
}
