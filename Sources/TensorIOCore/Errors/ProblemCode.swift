/// The short names of all that can be wrong, or doubtful, about a document and the bundle that it
/// describes.
///
/// Scripts compare them, so a name is never given another meaning. `Documentation/ModelJSON.md`
/// says of each what it means and what to do.
public enum ProblemCode: String, Error, Sendable, Hashable, CaseIterable {
  // The text is no JSON.
  case emptyDocument = "empty-document"
  case tooLarge = "too-large"
  case tooDeep = "too-deep"
  case byteOrderMark = "byte-order-mark"
  case unexpectedCharacter = "unexpected-character"
  case unexpectedEnd = "unexpected-end"
  case unknownWord = "unknown-word"
  case comment
  case trailingComma = "trailing-comma"
  case trailingContent = "trailing-content"
  case duplicateKey = "duplicate-key"
  case unterminatedString = "unterminated-string"
  case invalidEscape = "invalid-escape"
  case loneSurrogate = "lone-surrogate"
  case nulCharacter = "nul-character"
  case controlCharacter = "control-character"
  case invalidUTF8 = "invalid-utf8"
  case invalidNumber = "invalid-number"
  case notFinite = "not-finite"
  case numberOverflow = "number-overflow"

  // The JSON has the wrong form.
  case wrongType = "wrong-type"
  case notAnInteger = "not-an-integer"
  case raggedArray = "ragged-array"
}
