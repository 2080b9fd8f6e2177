/// A body of the type `multipart/form-data`, taken apart.
///
/// Nothing is forgiven: whatever two readers could understand in two ways is a fault. The work is
/// in proportion to the body.
package struct MultipartForm: Sendable {
  /// The parts, in order.
  package let parts: [FormPart]

  /// Takes a body apart at the boundary that its type names.
  package init(_ body: [UInt8], _ type: MediaType) throws(FormFault) {
    guard let boundary = type.parameters["boundary"], Self.isPossible(boundary) else {
      throw .noBoundary
    }
    var reader = FormReader(body, boundary: boundary)
    try reader.begin()
    var parts: [FormPart] = []
    while try reader.hasPart() {
      guard parts.count < MultipartLimits.parts else { throw .tooManyParts }
      let head = try PartHead(reader.head())
      parts.append(
        FormPart(
          name: head.name, fileName: head.fileName, type: head.type,
          content: Array(body[try reader.content()])))
    }
    self.parts = parts
  }

  /// Whether a boundary is one; a blank may stand in it, but not at its end.
  private static func isPossible(_ boundary: String) -> Bool {
    let bytes = boundary.utf8
    return (1...MultipartLimits.boundaryBytes).contains(bytes.count)
      && bytes.last != UInt8(ascii: " ")
      && bytes.allSatisfy { $0.isDigit || $0.isLetter || "'()+_,-./:=? ".utf8.contains($0) }
  }
}
