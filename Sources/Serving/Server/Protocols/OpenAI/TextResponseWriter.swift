import TensorIOGeneration
import TensorIOJSON

/// Writes texts in the form of a route: as one object, or as a stream of events.
protocol TextResponseWriter: Sendable {
  /// Returns the object with whole texts.
  func object(_ messages: [GeneratedMessage]) -> [UInt8]
  /// Returns the events before a text.
  mutating func beginning(_ index: Int) -> [UInt8]
  /// Returns the events of a piece.
  ///
  /// - Parameters:
  ///   - events: What the piece adds.
  ///   - piece: The piece; `nil` for what was held back until the end of the text.
  ///   - message: The text with the piece.
  ///   - index: The number of the text.
  /// - Returns: The events; empty if the client need not know of the piece.
  mutating func part(
    _ events: [ToolCallParser.Event], _ piece: GeneratedPiece?, of message: GeneratedMessage,
    _ index: Int
  ) -> [UInt8]
  /// Returns the events after a text.
  mutating func end(_ message: GeneratedMessage, _ index: Int) -> [UInt8]
  /// Returns the last events.
  mutating func last(_ messages: [GeneratedMessage]) -> [UInt8]
  /// Returns the events after an error.
  static func failure(_ error: ClientError) -> [UInt8]
}

extension TextResponseWriter {
  /// Returns an event with data in one line.
  static func event(_ data: [UInt8], type: String? = nil) -> [UInt8] {
    Array((type.map { "event: \($0)\n" } ?? "").utf8) + Array("data: ".utf8) + data
      + Array("\n\n".utf8)
  }

  /// Returns an event whose data are an object.
  static func event(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object(members)
    return event(writer.bytes)
  }
}
