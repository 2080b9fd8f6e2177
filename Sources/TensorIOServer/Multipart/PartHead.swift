/// What stands before a part's content.
struct PartHead {
  let name: String
  let fileName: String?
  let type: MediaType?

  /// Reads the lines of a head.
  init(_ bytes: ArraySlice<UInt8>) throws(FormFault) {
    let fields = try Self.fields(bytes)
    guard let disposition = try Self.only("content-disposition", fields).flatMap(FieldValue.init),
      disposition.word.lowercased() == "form-data",
      let name = disposition.parameters["name"], !name.isEmpty
    else { throw .noName }
    self.name = try Self.checked(name)
    fileName = try disposition.parameters["filename"].map(Self.checked)
    type = try Self.only("content-type", fields).map { (text) throws(FormFault) in
      guard let type = MediaType(text) else { throw .brokenField }
      return type
    }
    let encoding = try Self.only("content-transfer-encoding", fields)?.lowercased()
    guard [nil, "binary", "8bit", "7bit"].contains(encoding) else { throw .encodedContent }
  }

  private typealias Field = (name: String, value: String)

  private static func fields(_ bytes: ArraySlice<UInt8>) throws(FormFault) -> [Field] {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .brokenField }
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count <= MultipartLimits.fields else { throw .oversizedHead }
    var fields: [Field] = []
    for (index, line) in lines.enumerated() {
      // Every line but the last has been cut in the middle of its break.
      let isWhole = index == lines.count - 1 || line.last == UInt8(ascii: "\r")
      guard isWhole, let field = field(index == lines.count - 1 ? line : line.dropLast()) else {
        throw .brokenField
      }
      fields.append(field)
    }
    return fields
  }

  private static func field(_ line: Substring.UTF8View) -> Field? {
    let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
    let isPlain = line.allSatisfy { $0 >= UInt8(ascii: " ") && $0 != 0x7F || $0.isBlank }
    guard isPlain, parts.count == 2, line.first != UInt8(ascii: ":"),
      parts[0].allSatisfy(\.isTokenByte)
    else { return nil }
    return (Substring(parts[0]).lowercased(), Substring(parts[1]).withoutBlanks)
  }

  private static func only(_ name: String, _ fields: [Field]) throws(FormFault) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value)
    guard values.count <= 1 else { throw .brokenField }
    return values.first
  }

  private static func checked(_ name: String) throws(FormFault) -> String {
    guard name.utf8.count <= MultipartLimits.nameBytes else { throw .oversizedName }
    return name
  }
}
