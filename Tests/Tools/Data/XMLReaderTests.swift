import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOData

@Suite(.ownThreads) struct XMLReaderTests {
  @Test func `Elements have names, text and positions`() throws {
    let text = """
      \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
      <!-- a > b --><a x = '1' y="<?>"/>
      """
    #expect(throws: XMLParseError.self) { try XMLReader.read(Array(text.utf8)) }
    let root = try XMLReader.read(
      Array(
        "<a x = '1>' y=\"2\" >\n <b/>t&lt;&amp;&gt;&quot;&apos;<!-- - -->u<ä.b-c:d_1>\n x\n</ä.b-c:d_1 ></a>\n"
          .utf8))
    #expect(root.name == "a" && root.text == "t<&>\"'u" && root.children.count == 2)
    #expect(root["b"]?.line == 2 && root["b"]?.column == 2)
    #expect(root.all("ä.b-c:d_1").map(\.text) == ["x"])
  }

  @Test func `CDATA is taken literally`() throws {
    let root = try XMLReader.read(Array("<a>1<![CDATA[<b>&amp;]]]>2</a>".utf8))
    #expect(root.text == "1<b>&amp;]2" && root.children.isEmpty)
  }

  @Test func `Character references are decoded`() throws {
    let root = try XMLReader.read(Array("<a>&#65;&#x1F408;</a>".utf8))
    #expect(root.text == "A🐈")
    #expect(throws: XMLParseError.self) { try XMLReader.read(Array("<a>&#0;</a>".utf8)) }
  }

  @Test(arguments: [
    ("", #"<!DOCTYPE a [<!ENTITY b "bbb"><!ENTITY c "&b;&b;">]>\n<a>&c;</a>"#),
    ("", #"<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]>\n<a>&b;</a>"#),
    ("<!-- < -->", #"<!DOCTYPE a [<!ENTITY % b SYSTEM "file:///etc/hostname"> %b;]>\n<a/>"#),
    ("<!-- < -->", #"<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd">\n<a>&b;</a>"#),
    ("", "<!DOCTYPE a>\n<a/>"),
  ])
  func `Document types are rejected before entities are declared`(prefix: String, text: String) {
    let error = #expect(throws: XMLParseError.self) {
      try XMLReader.read(Array((prefix + text).utf8))
    }
    #expect(error == XMLParseError(diagnostic: .xmlDeclaration, line: 1, column: prefix.count + 1))
  }

  @Test(arguments: [
    "<a>]]></a>", "<a x='1' x='2'/>", "<a>\u{1}</a>", "<a x='1'y='2'/>", "<a>&b</a>", "</a>",
    "<a><b></a>", "<a/>x", "<!ENTITY b 'c'><a/>", "<a><!-- -- --></a>",
  ])
  func `Malformed text is rejected`(text: String) {
    let error = #expect(throws: XMLParseError.self) { try XMLReader.read(Array(text.utf8)) }
    #expect(error?.diagnostic.code == "invalid-xml")
  }

  @Test func `A mismatched end tag is reported with the expected one`() {
    let error = #expect(throws: XMLParseError.self) {
      try XMLReader.read(Array("<a>\n<b></a>".utf8))
    }
    #expect(error?.diagnostic.expected == "</b>")
    #expect(error?.line == 2 && error?.column == 4)
  }

  @Test func `Text is UTF-8, whatever the declaration says`() throws {
    let declaration = #"<?xml version="1.0" encoding="ISO-8859-1"?>"#
    #expect(try XMLReader.read(Array((declaration + "<a>é</a>").utf8)).text == "é")
    let error = #expect(throws: XMLParseError.self) {
      try XMLReader.read(
        Array(declaration.utf8) + [0x3C, 0x61, 0x3E, 0xE9, 0x3C, 0x2F, 0x61, 0x3E])
    }
    #expect(error?.diagnostic == .notUTF8)
  }

  @Test func `A missing library is reported`() {
    let error = #expect(throws: DynamicLibraryError.self) {
      try ExpatLibrary(path: "libnothing.so.1")
    }
    #expect(error?.path == "libnothing.so.1")
    let other = #expect(throws: DynamicLibraryError.self) { try ExpatLibrary(path: "libm.so.6") }
    #expect(other?.message.contains("the function XML_ExpatVersion is missing") == true)
  }

  @Test(arguments: ["<![CDATA[x]]><a/>", "<a/><![CDATA[x]]>"])
  func `CDATA outside an element is an error`(text: String) {
    let error = #expect(throws: XMLParseError.self) { try XMLReader.read(Array(text.utf8)) }
    #expect(error?.diagnostic.code == "invalid-xml")
  }

  @Test func `Depth, element count, name length and size are limited`() throws {
    func code(_ text: String) -> String? {
      do throws(XMLParseError) {
        _ = try XMLReader.read(Array(text.utf8))
        return nil
      } catch {
        return error.diagnostic.code
      }
    }
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    #expect(code(nested(XMLLimits.maxDepth)) == nil)
    #expect(code(nested(XMLLimits.maxDepth + 1)) == "too-large")
    func wide(_ count: Int) -> String {
      "<a>" + String(repeating: "<b/>", count: count - 1) + "</a>"
    }
    #expect(code(wide(XMLLimits.maxElements)) == nil)
    #expect(code(wide(XMLLimits.maxElements + 1)) == "too-large")
    let name = String(repeating: "n", count: XMLLimits.maxNameBytes)
    #expect(code("<\(name)/>") == nil && code("<\(name)n/>") == "too-large")
    let blanks = String(repeating: " ", count: XMLLimits.maxBytes)
    #expect(code("<a/>" + blanks.dropFirst(4)) == nil && code("<a/>" + blanks) == "too-large")
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `Written elements are read back`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let element = Self.random(&random, depth: 0)
    #expect(Self.plain(try XMLReader.read(Array(Self.write(element).utf8))) == element)
  }

  @Test(.hangGuard)
  func `Corrupt texts are read or rejected with a position`() throws {
    var random = SeededGenerator(seed: 4)
    let characters = Array("<>/&;!-?[]=\"' aé\n".utf8)
    var rejected = 0
    let time = ThreadTime.measure {
      for _ in 0..<3_000 {
        var text = Array(Self.write(Self.random(&random, depth: 0)).utf8)
        text.mutate(characters, &random)
        let lines = text.count { $0 == 0x0A } + 1
        do throws(XMLParseError) {
          _ = try XMLReader.read(text)
        } catch {
          rejected += 1
          #expect((1...lines).contains(error.line) && (1...text.count + 1).contains(error.column))
        }
      }
    }
    #expect(rejected > 300)
    #expect(time < .seconds(30))
  }

  @Test func `Pathological texts are rejected in linear time`() {
    let bombs = [
      String(repeating: "<!--", count: 200_000), String(repeating: "<a ", count: 200_000),
      "<a>" + String(repeating: "&amp;", count: 200_000),
      "<a " + String(repeating: "x=''", count: 200_000), String(repeating: "<", count: 500_000),
      "<a>" + String(repeating: "<![CDATA[", count: 100_000),
    ]
    let time = ThreadTime.measure {
      for bomb in bombs {
        #expect(throws: XMLParseError.self) { try XMLReader.read(Array(bomb.utf8)) }
      }
    }
    #expect(time < .seconds(20))
  }
}

// MARK: Writing

extension XMLReaderTests {
  /// An element without its position.
  struct Plain: Equatable {
    let name: String
    let text: String
    let children: [Plain]
  }

  static func plain(_ element: XMLElement) -> Plain {
    Plain(name: element.name, text: element.text, children: element.children.map(plain))
  }

  static func random(_ random: inout SeededGenerator, depth: Int) -> Plain {
    let count = depth < 4 ? Int.random(in: 0...3, using: &random) : 0
    let characters = Array("ab<>&'\" é🐈]\n")
    let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
      characters.randomElement(using: &random) ?? "x"
    }
    return Plain(
      name: ["a", "bb", "größe", "x-1"].randomElement(using: &random) ?? "a",
      text: String(text).trimmed,
      children: (0..<count).map { _ in Self.random(&random, depth: depth + 1) })
  }

  static func write(_ element: Plain) -> String {
    let text = element.text.map { letter in
      ["<": "&lt;", ">": "&gt;", "&": "&amp;", "'": "&apos;", "\"": "&quot;"][letter]
        ?? String(letter)
    }.joined()
    let children = element.children.map(write)
    return
      "<\(element.name)>\(text)\n<!-- x -->\(children.joined(separator: "\n"))</\(element.name)>"
  }
}

extension [UInt8] {
  /// Replaces, removes and inserts a few bytes at random.
  mutating func mutate(_ characters: [UInt8], _ random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...6, using: &random) where !isEmpty {
      let index = Int.random(in: 0..<count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: self[index] = characters.randomElement(using: &random) ?? 0
      case 1: remove(at: index)
      case 2: insert(UInt8.random(in: 0...255, using: &random), at: index)
      default: removeLast(Swift.min(count, Int.random(in: 0...8, using: &random)))
      }
    }
  }
}
