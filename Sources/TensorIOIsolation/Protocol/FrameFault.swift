/// Why bytes are no message.
package enum FrameFault: Error, Sendable, Hashable {
  /// They do not begin as messages do.
  case notAFrame
  /// The message says that it is longer than messages may be.
  case oversized(Int)
  /// It ends before it is complete, or goes on after it is.
  case wrongLength
  /// It is of a kind that is not known here.
  case unknownKind(UInt8)
  /// A part of it has a value that the part cannot have.
  case impossible(String)
}
