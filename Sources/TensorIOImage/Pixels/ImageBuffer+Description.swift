extension ImageBuffer: CustomStringConvertible, CustomReflectable {
  /// Size, format and orientation; pixels would be too many words.
  public var description: String {
    let turned = orientation == .up ? "" : ", \(orientation.name)"
    return "\(width) × \(height) \(format)\(turned)"
  }

  /// What debuggers and failing tests show: again no pixels.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["width": width, "height": height, "format": format, "orientation": orientation])
  }
}
