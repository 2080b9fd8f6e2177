import TensorIOTestSupport
import Testing

/// The decoder that the tests of streams rely on.
@Suite struct ChunkDecoderTests {
  @Test(arguments: ["0\r\n\r\n", "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"])
  func `Chunks are decoded however they are split`(text: String) throws {
    let bytes = Array(text.utf8)
    for size in 1...bytes.count {
      var decoder = ChunkDecoder()
      var (input, isComplete) = ([UInt8](), false)
      for start in stride(from: 0, to: bytes.count, by: size) {
        #expect(!isComplete)
        input += bytes[start..<min(bytes.count, start + size)]
        isComplete = try decoder.isComplete(afterReading: &input)
      }
      #expect(isComplete && input.isEmpty)
      #expect(decoder.body == (bytes.count > 5 ? Array("abcde".utf8) : []))
    }
  }

  @Test(arguments: [
    "05\r\nabcde\r\n", "5;a=b\r\nabcde\r\n", "5 \r\nabcde\r\n", "A\r\nabcdefghij\r\n",
    "+5\r\nabcde\r\n",
    "-1\r\n", "\r\n", "5\nabcde\r\n", "5\r\nabcdef\r\n", "5\r\nabcde\n\n", "5\r\nabcde0\r\n\r\n",
    "0\r\nX: y\r\n\r\n", "00\r\n\r\n", "0\r\n0\r\n\r\n", "1234567890123456789",
  ])
  func `Anything else is an error`(text: String) {
    var (decoder, input) = (ChunkDecoder(), Array(text.utf8))
    #expect(throws: RawHTTPClient.ConnectionError.self) {
      try decoder.isComplete(afterReading: &input)
    }
  }

  @Test func `Bytes after the last chunk are left`() throws {
    var (decoder, input) = (ChunkDecoder(), Array("1\r\na\r\n0\r\n\r\nrest".utf8))
    #expect(try decoder.isComplete(afterReading: &input))
    #expect(decoder.body == [97] && input == Array("rest".utf8))
  }
}
