package import TensorIOJSON

extension JSONWriter {
  /// Writes markup as an array of nodes, without style rules.
  ///
  /// A text is a string, and an element an array of its name, an object of its attributes, and its
  /// children: `[["p", {"class": "secondary"}, "text"]]`.
  package mutating func value(_ markup: Markup) {
    array { writer in
      for node in markup.nodes { writer.write(node) }
    }
  }

  private mutating func write(_ node: Markup.Node) {
    switch node {
    case .style: break
    case .text(let text): value(text)
    case .element(let element):
      array { writer in
        writer.value("\(element.name)")
        writer.object { writer in
          for (key, value) in element.attributes { writer.member("\(key)", value) }
        }
        for child in element.children { writer.write(child) }
      }
    }
  }
}
