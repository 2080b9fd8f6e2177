/// A parsed `multipart/form-data` body.
///
/// Parsing is strict: anything that different parsers could interpret differently is an error. It
/// takes time linear in the size of the body.
package struct MultipartForm: Sendable {
  /// The parts, in order.
  package let parts: [MultipartPart]

  /// Parses a body with the boundary that its media type declares.
  package init(_ body: [UInt8], _ type: MediaType) throws(MultipartError) {
    guard let boundary = type.parameters["boundary"], Self.isValidBoundary(boundary) else {
      throw .invalidBoundary
    }
    var reader = MultipartReader(body, boundary: boundary)
    try reader.readFirstBoundary()
    var parts: [MultipartPart] = []
    while try reader.advanceToPart() {
      guard parts.count < MultipartLimits.maxParts else { throw .tooManyParts }
      let headers = try PartHeaders(reader.readHeaders())
      parts.append(
        MultipartPart(
          name: headers.name, fileName: headers.fileName, contentType: headers.contentType,
          body: body[try reader.readContent()]))
    }
    self.parts = parts
  }

  /// Whether a boundary is valid; it may contain spaces, but not end with one.
  private static func isValidBoundary(_ boundary: String) -> Bool {
    let bytes = boundary.utf8
    return (1...MultipartLimits.maxBoundaryBytes).contains(bytes.count)
      && bytes.last != UInt8(ascii: " ")
      && bytes.allSatisfy { $0.isDigit || $0.isLetter || "'()+_,-./:=? ".utf8.contains($0) }
  }
}

/// One part of a form.
package struct MultipartPart: Sendable, Equatable {
  /// The name of the form field.
  package let name: String
  /// The client's name of the file; `nil` for a plain value.
  package let fileName: String?
  /// The media type, if the client declares one.
  package let contentType: MediaType?
  /// The content, which shares the memory of the form.
  let body: ArraySlice<UInt8>

  /// The content.
  package var content: [UInt8] { Array(body) }
}

/// The headers of a part.
struct PartHeaders {
  let name: String
  let fileName: String?
  let contentType: MediaType?

  /// Parses header lines.
  init(_ bytes: ArraySlice<UInt8>) throws(MultipartError) {
    let fields = try Self.fields(bytes)
    guard
      let disposition = try Self.singleValue("content-disposition", fields)
        .flatMap(ParameterizedHeaderValue.init),
      disposition.value.lowercased() == "form-data",
      let name = disposition.parameters["name"], !name.isEmpty
    else { throw .missingName }
    self.name = try Self.validatedName(name)
    fileName = try disposition.parameters["filename"].map(Self.validatedName)
    contentType = try Self.singleValue("content-type", fields).map {
      (text) throws(MultipartError) in
      guard let type = MediaType(text) else { throw .malformedHeader }
      return type
    }
    let encoding = try Self.singleValue("content-transfer-encoding", fields)?.lowercased()
    guard [nil, "binary", "8bit", "7bit"].contains(encoding) else {
      throw .unsupportedTransferEncoding
    }
  }

  private typealias Field = (name: String, value: String)

  private static func fields(_ bytes: ArraySlice<UInt8>) throws(MultipartError) -> [Field] {
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .malformedHeader }
    let lines = bytes.split(separator: .lineFeed, omittingEmptySubsequences: false)
    guard lines.count <= MultipartLimits.maxPartHeaderFields else { throw .headersTooLarge }
    var fields: [Field] = []
    for (index, line) in lines.enumerated() {
      // The split leaves the CR at the end of every line but the last.
      let isComplete = index == lines.count - 1 || line.last == .carriageReturn
      guard isComplete, let field = field(index == lines.count - 1 ? line : line.dropLast()) else {
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

  private static func singleValue(
    _ name: String, _ fields: [Field]
  ) throws(MultipartError) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value)
    guard values.count <= 1 else { throw .malformedHeader }
    return values.first
  }

  private static func validatedName(_ name: String) throws(MultipartError) -> String {
    guard name.utf8.count <= MultipartLimits.maxNameBytes else { throw .nameTooLong }
    return name
  }
}

/// Limits on forms.
package enum MultipartLimits {
  /// The maximum number of parts.
  package static let maxParts = 256
  /// The maximum size of a part's headers, in bytes.
  package static let maxPartHeaderBytes = 4 << 10
  /// The maximum number of header lines of a part.
  package static let maxPartHeaderFields = 16
  /// The maximum size of the name of a part or file, in bytes.
  package static let maxNameBytes = 512
  /// The maximum size of a boundary, in bytes (RFC 2046).
  package static let maxBoundaryBytes = 70
}

/// An error in a `multipart/form-data` body.
package enum MultipartError: Error, Sendable, Equatable {
  /// The `Content-Type` has no boundary, or an invalid one.
  case invalidBoundary
  /// The body does not begin with the boundary.
  case missingFirstBoundary
  /// The last boundary is missing.
  case missingFinalBoundary
  /// There are bytes after the last boundary.
  case trailingBytes
  /// There are characters between a boundary and the end of its line.
  case malformedBoundary
  case tooManyParts
  case headersTooLarge
  /// A header line of a part is malformed or duplicated.
  case malformedHeader
  /// A part does not have exactly one `Content-Disposition: form-data` with one name.
  case missingName
  case nameTooLong
  /// A part has a `Content-Transfer-Encoding`, which RFC 7578 deprecates.
  case unsupportedTransferEncoding

  /// The error message.
  package var message: String {
    switch self {
    case .invalidBoundary:
      "the Content-Type must declare a boundary of 1 to \(MultipartLimits.maxBoundaryBytes) "
        + "valid characters"
    case .missingFirstBoundary: "the form must start with its boundary"
    case .missingFinalBoundary: "the final boundary is missing"
    case .trailingBytes: "unexpected bytes after the final boundary"
    case .malformedBoundary: "unexpected characters after a boundary"
    case .tooManyParts: "the form exceeds \(MultipartLimits.maxParts) parts"
    case .headersTooLarge:
      "the headers of a part exceed \(MultipartLimits.maxPartHeaderBytes) bytes or "
        + "\(MultipartLimits.maxPartHeaderFields) lines"
    case .malformedHeader: "malformed or duplicate header in a part"
    case .missingName: "a part needs a Content-Disposition of type form-data with a name"
    case .nameTooLong: "the name of a part exceeds \(MultipartLimits.maxNameBytes) bytes"
    case .unsupportedTransferEncoding: "unsupported Content-Transfer-Encoding of a part"
    }
  }
}
