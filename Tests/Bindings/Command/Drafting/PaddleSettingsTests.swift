import TensorIOImage
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIODrafting

/// The settings that PaddleOCR writes beside exported models.
@Suite struct PaddleSettingsTests {
  private static func value(_ text: String) -> JSONValue? { YAMLBlocks.value(of: Array(text.utf8)) }

  @Test func `Mappings, lists and scalars are read`() {
    let value = Self.value(
      """
      ---
      # a comment
      a: 1
      b:
        c: [1, 2.5, x]
        d:
        - e: true
          f: null
        -
          g: 'it''s'
        - - 1
          - "\\u4E2D\\t"
      h: 1./255.  # a comment

      """)
    let expected = JSONValue.object([
      .init("a", .integer(1)),
      .init(
        "b",
        .object([
          .init("c", .array([.integer(1), .number(2.5), .string("x")])),
          .init(
            "d",
            .array([
              .object([.init("e", .bool(true)), .init("f", .null)]),
              .object([.init("g", .string("it's"))]),
              .array([.integer(1), .string("中\t")]),
            ])),
        ])), .init("h", .string("1./255.")),
    ])
    #expect(value == expected)
  }

  @Test(arguments: [
    "", "a", "a: 'b", "a: \"\\q\"", "a: {b: 1}", "a: [1", "- a\nb: c", "a: &x 1", "\u{0}",
    "a:\n    b: 1\n  c: 2",
  ])
  func `Other documents are rejected`(_ text: String) {
    #expect(Self.value(text) == nil)
  }

  @Test func `Deeply nested documents are rejected`() {
    #expect(Self.value(String(repeating: "- ", count: 10_000) + "a") == nil)
    let nested = (0..<200).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n")
    #expect(Self.value(nested) == nil)
  }

  @Test func `A dictionary of characters keeps each of them`() throws {
    // Numbers, words of YAML, marks that combine with what is before them, and line separators.
    let characters = [
      "0", "a", "中", "\u{301}", ":", "'", "\"", "#", "-", " ", "\u{3000}", "\u{2028}", "\u{85}",
      "~", "true", "\\",
    ]
    let items = [
      "'0'", "a", "中", "\u{301}", "':'", "''''", "'\"'", "'#'", "'-'", "' '", "\"\\u3000\"",
      "\"\\u2028\"",
      "\"\\x85\"", "'~'", "'true'", "\\",
    ]
    let text =
      "PostProcess:\n  name: CTCLabelDecode\n  character_dict:\n"
      + items.map { "  - \($0)\n" }.joined()
    let settings = try #require(PaddleSettings(Array(text.utf8)))
    #expect(settings.characters == characters.joined(separator: "\n"))
    #expect(
      settings.taskSettings.isEmpty && settings.format == nil && settings.normalization == nil)
    let plain = "PostProcess:\r\n  character_dict:\r\n  - 0\r\n  - true\r\n"
    #expect(try #require(PaddleSettings(Array(plain.utf8))).characters == "0\ntrue")
  }

  @Test func `Operations before the model are those of images`() throws {
    let text = """
      PreProcess:
        transform_ops:
        - DecodeImage:
            img_mode: RGB
        - DetResizeForTest:
            limit_side_len: 736
            limit_type: min
        - NormalizeImage:
            mean: [0.5, 0.5, 0.5]
            std: [0.5, 0.5, 0]
      """
    let settings = try #require(PaddleSettings(Array(text.utf8)))
    var sides = ImageSides()
    sides.longer = 5
    #expect(settings.apply(to: &sides) && sides.shorter == 736 && sides.longer == 5)
    #expect(settings.format == .rgb && settings.normalization == nil && settings.characters == nil)
    #expect(PaddleSettings(Array("a: 1".utf8)) == nil)
  }
}
