/// Where a picture that came out of a model is to be found.
package enum ImageReference: Sendable, Equatable {
  /// In a file.
  case file(String)
  /// In the answer itself, as an encoded PNG.
  case png([UInt8])
}
