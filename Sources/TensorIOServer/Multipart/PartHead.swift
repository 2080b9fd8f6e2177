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
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .brokenField }
    let lines = bytes.split(separator: .lineFeed, omittingEmptySubsequences: false)
    guard lines.count <= MultipartLimits.fields else { throw .oversizedHead }
    var fields: [Field] = []
    for (index, line) in lines.enumerated() {
      // Every line but the last has been cut in the middle of its break.
      let isWhole = index == lines.count - 1 || line.last == .carriageReturn
      guard isWhole, let field = field(index == lines.count - 1 ? line : line.dropLast()) else {
        throw .brokenField
      }
      fields.append(field)
    }
    return fields
  }

  private static func field(_ line: ArraySlice<UInt8>) -> Field? {
    let parts = line.split(separator: .colon, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy(\.isToken),
      parts[1].allSatisfy(\.isFieldText)
    else { return nil }
    return (parts[0].text.lowercased(), parts[1].trimmed.text)
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
