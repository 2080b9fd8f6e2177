import TensorIOJSON

/// The arrangement of special tokens in a `tokenizer.json`.
struct FilePostprocessor {
  /// The arrangement.
  private(set) var template = EncodingTemplate.plain
  /// Whether the range of the first token keeps its only space; `nil` if spaces are not removed from ranges.
  private(set) var keepsFirstSpace: Bool?

  /// Reads the `post_processor` of a file.
  init(_ root: JSONNode) throws(TokenizerError) {
    for node in try Self.processors(root) {
      if ["RobertaProcessing", "ByteLevel"].contains(node["type"]?.string),
        TokenizerJSON.flag(node, "trim_offsets", default: true)
      {
        keepsFirstSpace = TokenizerJSON.flag(node, "add_prefix_space", default: true)
      }
      switch node["type"]?.string {
      case "TemplateProcessing":
        template = EncodingTemplate(
          single: try Self.parts(node["single"], node["special_tokens"]),
          pair: try Self.parts(node["pair"], node["special_tokens"]))
      case "BertProcessing":
        template = .bert(
          start: try TokenizerJSON.id(node["cls"]?[1]),
          separator: try TokenizerJSON.id(node["sep"]?[1]))
      case "RobertaProcessing":
        template = .roberta(
          start: try TokenizerJSON.id(node["cls"]?[1]),
          separator: try TokenizerJSON.id(node["sep"]?[1]))
      case "ByteLevel": break
      default: throw TokenizerJSON.unsupported("postprocessor", node)
      }
    }
  }

  private static func processors(_ root: JSONNode) throws(TokenizerError) -> [JSONNode] {
    guard let node = TokenizerJSON.value(root, "post_processor") else { return [] }
    guard node["type"]?.string == "Sequence" else { return [node] }
    guard let nodes = node["processors"]?.elements else {
      throw TokenizerJSON.unsupported("postprocessor", node)
    }
    return Array(nodes)
  }

  private static func parts(
    _ node: JSONNode?, _ tokens: JSONNode?
  ) throws(TokenizerError) -> [EncodingTemplate.Part] {
    var parts: [EncodingTemplate.Part] = []
    for part in node?.elements.map(Array.init) ?? [] {
      if let special = part["SpecialToken"] {
        let segment = try TokenizerJSON.id(special["type_id"])
        let ids = tokens?[special["id"]?.string ?? ""]?["ids"]?.elements.map(Array.init) ?? []
        guard !ids.isEmpty else {
          throw TokenizerError(vocabulary: "\(part.position): the special token has no ids")
        }
        for id in ids { parts.append(.special(try TokenizerJSON.id(id), segment: segment)) }
      } else {
        let sequence = part["Sequence"]
        let segment = try TokenizerJSON.id(sequence?["type_id"])
        switch sequence?["id"]?.string {
        case "A": parts.append(.text(.first, segment: segment))
        case "B": parts.append(.text(.second, segment: segment))
        default:
          throw TokenizerError(vocabulary: "\(part.position): expected the sequence A or B")
        }
      }
      guard parts.count <= 64 else {
        throw TokenizerError(vocabulary: "\(part.position): the template has too many parts")
      }
    }
    return parts
  }
}
