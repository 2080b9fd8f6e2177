extension ImageError: CustomStringConvertible {
  /// The failure in a sentence, with its file where there is one.
  public var description: String {
    guard let file else { return reason.description }
    return "\(file): \(reason)"
  }
}

extension ImageError.Reason: CustomStringConvertible {
  /// The failure in a sentence.
  public var description: String {
    switch self {
    case .unreadable(let problem): "cannot be read: \(problem)"
    case .unknownFormat: "is no picture of a known format (JPEG, PNG or BMP)"
    case .truncated: "the picture ends before its last pixel"
    case .damaged(let problem): "the picture is damaged: \(problem)"
    case .tooLarge(let width, let height):
      "a picture of \(width) × \(height) pixels is too large: a side may have "
        + "\(ImageLimits.side), all together \(ImageLimits.area)"
    case .oversizedFile(let bytes, let limit):
      "a file of \(bytes) bytes is too large: \(limit) are allowed"
    case .unsupported(let form): "\(form) is not supported"
    case .impossibleSize(let width, let height): "\(width) × \(height) pixels make no picture"
    case .unwritable(let problem): "cannot be written: \(problem)"
    }
  }
}
