/// Renders model cards as HTML.
///
/// The text of a card is untrusted. It never becomes an element or an attribute other than the
/// destination of a link, and links with other schemes than `https`, `http` and `mailto` are text.
package struct MarkdownRenderer: Sendable {
  /// What becomes of links.
  package enum Links: Sendable {
    /// They can be followed.
    case followed
    /// They are text with the destination as its tooltip.
    case inert
  }

  private static let schemes = ["https://", "http://", "mailto:"]
  private static let headings: [StaticString] = ["h1", "h2", "h3", "h4", "h5"]

  private let topHeading: Int
  private let links: Links

  /// Creates a renderer.
  ///
  /// - Parameters:
  ///   - topHeading: The level of the HTML heading of a heading of level 1.
  ///   - links: What becomes of links.
  package init(topHeading: Int = 1, links: Links) {
    (self.topHeading, self.links) = (topHeading, links)
  }

  /// Returns the blocks of a document.
  package func markup(_ document: MarkdownDocument) -> Markup {
    Markup(document.blocks.map(markup))
  }

  /// Returns the spans of a line.
  package func markup(_ spans: [MarkdownDocument.Span]) -> Markup { Markup(spans.map(markup)) }
}

// MARK: Blocks

extension MarkdownRenderer {
  private func markup(_ block: MarkdownDocument.Block) -> Markup {
    switch block {
    case .heading(let level, let text):
      let index = min(topHeading + level - 2, Self.headings.count - 1)
      return .element(Self.headings[max(0, index)], [:], markup(text))
    case .paragraph(let text): return .element("p", [:], markup(text))
    case .list(let isNumbered, let items):
      return .element(
        isNumbered ? "ol" : "ul", [:], items.map { .element("li", [:], markup($0)) })
    case .table(let header, let rows): return table(header, rows)
    case .code(let text):
      return .element("pre", ["tabindex": "0"], .element("code", [:], Markup(text)))
    case .quotation(let blocks): return .element("blockquote", [:], blocks.map(markup))
    case .thematicBreak: return .element("hr")
    }
  }

  private func table(
    _ header: [[MarkdownDocument.Span]]?, _ rows: [[[MarkdownDocument.Span]]]
  ) -> Markup {
    let head =
      header.map { titles in
        Markup.element(
          "thead", [:],
          .element("tr", [:], titles.map { .element("th", ["scope": "col"], markup($0)) }))
      } ?? .empty
    let body = rows.map { row in
      Markup.element("tr", [:], row.map { .element("td", [:], markup($0)) })
    }
    return .element(
      "div", ["class": "scroll", "tabindex": "0"],
      .element("table", [:], head, .element("tbody", [:], body)))
  }
}

// MARK: Spans

extension MarkdownRenderer {
  private func markup(_ span: MarkdownDocument.Span) -> Markup {
    switch span {
    case .text(let text): return Markup(text)
    case .code(let text): return .element("code", [:], Markup(text))
    case .strong(let content): return .element("strong", [:], markup(content))
    case .emphasis(let content): return .element("em", [:], markup(content))
    case .link(let content, let destination): return link(markup(content), destination)
    }
  }

  private func link(_ content: Markup, _ destination: String) -> Markup {
    switch links {
    case .followed:
      let lowercased = destination.lowercased()
      guard Self.schemes.contains(where: lowercased.hasPrefix) else { return content }
      return .element("a", ["href": destination, "rel": "noreferrer"], content)
    case .inert:
      return .element("span", ["class": "link-text", "title": destination], content)
    }
  }
}
