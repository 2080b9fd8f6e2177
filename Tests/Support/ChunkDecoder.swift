/// Decodes the chunks of a body, and accepts nothing but what servers should send.
///
/// A size has no leading zeros, upper-case digits or extensions, every line ends with CR LF, and the
/// last chunk has no trailers.
public struct ChunkDecoder {
  /// The bytes of the complete chunks.
  public private(set) var body: [UInt8] = []
  /// The sizes of the complete chunks, without the last one.
  public private(set) var sizes: [Int] = []

  public init() {}

  /// Removes chunks from the beginning of some bytes; returns whether the last one was among them.
  public mutating func isComplete(afterReading bytes: inout [UInt8]) throws -> Bool {
    var start = 0
    defer { bytes.removeFirst(start) }
    while let end = try Self.lineEnd(bytes, from: start) {
      let digits = bytes[start..<end]
      guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0,
        String(size, radix: 16).utf8.elementsEqual(digits)
      else { throw RawHTTPClient.ConnectionError.malformed("chunk size \(Array(digits))") }
      let dataEnd = end + 2 + size
      guard bytes.count >= dataEnd + 2 else { return false }
      guard bytes[dataEnd] == 13, bytes[dataEnd + 1] == 10 else {
        throw RawHTTPClient.ConnectionError.malformed("a chunk of \(size) bytes has another size")
      }
      start = dataEnd + 2
      if size == 0 { return true }
      body += bytes[(end + 2)..<dataEnd]
      sizes.append(size)
    }
    return false
  }

  /// Returns the offset of the next CR LF; `nil` if there is none.
  private static func lineEnd(_ bytes: [UInt8], from start: Int) throws -> Int? {
    guard let end = bytes[start...].firstIndex(of: 10) else {
      guard bytes.count - start < 18 else {
        throw RawHTTPClient.ConnectionError.malformed("a long chunk size")
      }
      return nil
    }
    guard end > start, bytes[end - 1] == 13 else {
      throw RawHTTPClient.ConnectionError.malformed("a line of a chunk without CR")
    }
    return end - 1
  }
}
