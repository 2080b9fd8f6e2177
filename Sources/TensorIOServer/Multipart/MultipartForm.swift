/// A body of the type `multipart/form-data`, taken apart.
///
/// Nothing is forgiven: whatever two readers could understand in two ways is a fault. The work is
/// in proportion to the body.
package struct MultipartForm: Sendable {
  /// The parts, in order.
  package let parts: [MultipartPart]

  /// Takes a body apart at the boundary that its type names.
  package init(_ body: [UInt8], _ type: MediaType) throws(MultipartError) {
    guard let boundary = type.parameters["boundary"], Self.isValidBoundary(boundary) else {
      throw .invalidBoundary
    }
    var reader = MultipartReader(body, boundary: boundary)
    try reader.readFirstBoundary()
    var parts: [MultipartPart] = []
    while try reader.advanceToPart() {
      guard parts.count < MultipartLimits.maxParts else { throw .tooManyParts }
      let head = try PartHeaders(reader.readHeaders())
      parts.append(
        MultipartPart(
          name: head.name, fileName: head.fileName, contentType: head.contentType,
          content: Array(body[try reader.readContent()])))
    }
    self.parts = parts
  }

  /// Whether a boundary is one; a blank may stand in it, but not at its end.
  private static func isValidBoundary(_ boundary: String) -> Bool {
    let bytes = boundary.utf8
    return (1...MultipartLimits.maxBoundaryBytes).contains(bytes.count)
      && bytes.last != UInt8(ascii: " ")
      && bytes.allSatisfy { $0.isDigit || $0.isLetter || "'()+_,-./:=? ".utf8.contains($0) }
  }
}

/// One part of a form.
package struct MultipartPart: Sendable, Equatable {
  /// What the form calls it.
  package let name: String
  /// What the client calls the file that it sent; `nil` for a plain value.
  package let fileName: String?
  /// The kind of its content, where the client says.
  package let contentType: MediaType?
  /// The content.
  package let content: [UInt8]
}

/// What stands before a part's content.
struct PartHeaders {
  let name: String
  let fileName: String?
  let contentType: MediaType?

  /// Reads the lines of a head.
  init(_ bytes: ArraySlice<UInt8>) throws(MultipartError) {
    let fields = try Self.fields(bytes)
    guard let disposition = try Self.singleValue("content-disposition", fields).flatMap(ParameterizedHeaderValue.init),
      disposition.value.lowercased() == "form-data",
      let name = disposition.parameters["name"], !name.isEmpty
    else { throw .missingName }
    self.name = try Self.validatedName(name)
    fileName = try disposition.parameters["filename"].map(Self.validatedName)
    contentType = try Self.singleValue("content-type", fields).map { (text) throws(MultipartError) in
      guard let type = MediaType(text) else { throw .malformedHeader }
      return type
    }
    let encoding = try Self.singleValue("content-transfer-encoding", fields)?.lowercased()
    guard [nil, "binary", "8bit", "7bit"].contains(encoding) else { throw .unsupportedTransferEncoding }
  }

  private typealias Field = (name: String, value: String)

  private static func fields(_ bytes: ArraySlice<UInt8>) throws(MultipartError) -> [Field] {
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .malformedHeader }
    let lines = bytes.split(separator: .lineFeed, omittingEmptySubsequences: false)
    guard lines.count <= MultipartLimits.maxPartHeaderFields else { throw .headersTooLarge }
    var fields: [Field] = []
    for (index, line) in lines.enumerated() {
      // Every line but the last has been cut in the middle of its break.
      let isWhole = index == lines.count - 1 || line.last == .carriageReturn
      guard isWhole, let field = field(index == lines.count - 1 ? line : line.dropLast()) else {
        throw .malformedHeader
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
    return (parts[0].utf8Text.lowercased(), parts[1].trimmed.utf8Text)
  }

  private static func singleValue(_ name: String, _ fields: [Field]) throws(MultipartError) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value)
    guard values.count <= 1 else { throw .malformedHeader }
    return values.first
  }

  private static func validatedName(_ name: String) throws(MultipartError) -> String {
    guard name.utf8.count <= MultipartLimits.maxNameBytes else { throw .nameTooLong }
    return name
  }
}

/// What a form may be.
package enum MultipartLimits {
  /// The parts of a form.
  package static let maxParts = 256
  /// The bytes of the lines before a part's content.
  package static let maxPartHeaderBytes = 4 << 10
  /// The lines before a part's content.
  package static let maxPartHeaderFields = 16
  /// The bytes of the name of a part, or of its file.
  package static let maxNameBytes = 512
  /// The bytes of a boundary, which a standard limits.
  package static let maxBoundaryBytes = 70
}

/// Why a body is no form.
package enum MultipartError: Error, Sendable, Equatable {
  /// The type of the body names no boundary, or an impossible one.
  case invalidBoundary
  /// The body does not begin with the boundary.
  case missingFirstBoundary
  /// The last boundary is missing.
  case missingFinalBoundary
  /// Something follows the last boundary.
  case trailingBytes
  /// Something stands between a boundary and the end of its line.
  case malformedBoundary
  case tooManyParts
  case headersTooLarge
  /// A line before a content is no field, or cannot be told apart from another.
  case malformedHeader
  /// There is not exactly one `Content-Disposition: form-data` with one name.
  case missingName
  case nameTooLong
  /// A content is encoded in a way that forms have given up.
  case unsupportedTransferEncoding

  /// What is wrong, in a sentence.
  package var message: String {
    switch self {
    case .invalidBoundary: "a form's Content-Type names its boundary, of 1 to 70 plain characters"
    case .missingFirstBoundary: "a form begins with its boundary"
    case .missingFinalBoundary: "the form's last boundary is missing"
    case .trailingBytes: "something follows the form's last boundary"
    case .malformedBoundary: "something stands behind a boundary of the form"
    case .tooManyParts: "a form may have \(MultipartLimits.maxParts) parts"
    case .headersTooLarge:
      "the lines before a part's content may have \(MultipartLimits.maxPartHeaderBytes) bytes"
    case .malformedHeader: "a line before a part's content is broken"
    case .missingName: "a part has one Content-Disposition, form-data, with one name"
    case .nameTooLong: "a part's name may have \(MultipartLimits.maxNameBytes) bytes"
    case .unsupportedTransferEncoding: "a part's content is sent as it is, without an encoding"
    }
  }
}
