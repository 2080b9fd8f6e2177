#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ImageBuffer {
  /// A picture from a file: JPEG, PNG or BMP, whatever its name ends in.
  public init(
    contentsOf url: URL, decoding options: DecodingOptions = DecodingOptions()
  ) throws(ImageError) {
    try self.init(contentsOf: url.localPath(), decoding: options)
  }

  /// A picture from the bytes of its file.
  public init(
    decoding data: Data, _ options: DecodingOptions = DecodingOptions()
  ) throws(ImageError) {
    try self.init(decoding: Array(data), options)
  }

  /// Writes the picture, upright, in the format that the ending of the name asks for.
  public func write(to url: URL) throws(ImageError) {
    try write(to: url.localPath())
  }
}

extension URL {
  fileprivate func localPath() throws(ImageError) -> String {
    guard isFileURL else {
      throw ImageError(.unreadable(problem: "is not a file"), file: absoluteString)
    }
    return path
  }
}
