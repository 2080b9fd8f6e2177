/// The size of a terminal.
package enum TerminalSize {
  /// Returns the number of columns of the terminal that a descriptor refers to.
  ///
  /// - Parameter descriptor: The descriptor of a stream.
  /// - Returns: The number of columns; `nil` if the descriptor is not a terminal, or one without a size.
  package static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard isatty(descriptor) == 1, unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0,
      size.ws_col > 0
    else { return nil }
    return Int(size.ws_col)
  }
}
