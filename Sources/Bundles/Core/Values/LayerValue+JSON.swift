/// The location of an output image that is referenced in JSON.
package enum ImageReference: Sendable, Equatable {
  /// A file path.
  case file(String)
  /// Inline, as an encoded PNG.
  case png([UInt8])
}
