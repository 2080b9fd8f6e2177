extension ImageError: CustomStringConvertible {
  /// The short name of the reason, for scripts: kebab-case, and never changed once published.
  public var code: String {
    switch reason {
    case .unreadable: "unreadable-picture"
    case .unknownFormat: "unknown-picture-format"
    case .truncated: "truncated-picture"
    case .damaged: "damaged-picture"
    case .tooLarge: "picture-too-large"
    case .oversizedFile: "oversized-file"
    case .unsupported: "unsupported-picture"
    case .libraryMissing: "picture-library-missing"
    case .impossibleSize: "impossible-size"
    case .unwritable: "unwritable"
    }
  }

  /// One line: which file, what, and what to do.
  public var description: String {
    (file.map { "\($0): " } ?? "") + message
  }

  private var message: String {
    switch reason {
    case .unreadable(let problem): "cannot read the picture: \(problem)"
    case .unknownFormat: "not a picture that is known here; JPEG, PNG, WebP, BMP and PPM are read"
    case .truncated: "the picture is cut off"
    case .damaged(let problem): "the picture is damaged: \(problem)"
    case .tooLarge(let width, let height):
      "a picture of \(width) × \(height) is too large; sides may have \(ImageLimits.side) pixels, "
        + "the whole \(ImageLimits.area)"
    case .oversizedFile(let bytes, let limit):
      "the file has \(bytes) bytes; a picture may have \(limit)"
    case .unsupported(let what): "\(what) is not supported"
    case .libraryMissing(let path, let problem):
      "WebP needs libwebp, but \(path) cannot be used (\(problem)): \(WebPLibrary.remedy)"
    case .impossibleSize(let width, let height): "no picture measures \(width) × \(height)"
    case .unwritable(let problem): "cannot write the picture: \(problem)"
    }
  }
}
