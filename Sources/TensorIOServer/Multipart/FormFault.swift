/// Why a body is no form.
package enum FormFault: Error, Sendable, Equatable {
  /// The type of the body names no boundary, or an impossible one.
  case noBoundary
  /// The body does not begin with the boundary.
  case noBeginning
  /// The last boundary is missing.
  case noEnd
  /// Something follows the last boundary.
  case trailingBytes
  /// Something stands between a boundary and the end of its line.
  case brokenBoundary
  case tooManyParts
  case oversizedHead
  /// A line before a content is no field, or cannot be told apart from another.
  case brokenField
  /// There is not exactly one `Content-Disposition: form-data` with one name.
  case noName
  case oversizedName
  /// A content is encoded in a way that forms have given up.
  case encodedContent

  /// What is wrong, in a sentence.
  package var message: String {
    switch self {
    case .noBoundary: "a form's Content-Type names its boundary, of 1 to 70 plain characters"
    case .noBeginning: "a form begins with its boundary"
    case .noEnd: "the form's last boundary is missing"
    case .trailingBytes: "something follows the form's last boundary"
    case .brokenBoundary: "something stands behind a boundary of the form"
    case .tooManyParts: "a form may have \(MultipartLimits.parts) parts"
    case .oversizedHead:
      "the lines before a part's content may have \(MultipartLimits.headBytes) bytes"
    case .brokenField: "a line before a part's content is broken"
    case .noName: "a part has one Content-Disposition, form-data, with one name"
    case .oversizedName: "a part's name may have \(MultipartLimits.nameBytes) bytes"
    case .encodedContent: "a part's content is sent as it is, without an encoding"
    }
  }
}
