import TensorIOBundle
import TensorIOJSON

extension HTTPRequest {
  /// The names of the codings of the body.
  var contentCodings: [String] {
    headers.values(for: "Content-Encoding").flatMap(\.commaSeparatedTokens)
      .map { $0.lowercased() }.filter { !$0.isEmpty && $0 != "identity" }
  }

  /// The size of a text above which reading it takes long enough to delay others.
  private static let maxForegroundTextBytes = 512 << 10

  /// Continues in the background if reading the body takes long.
  func waitToRead() async throws(ClientError) {
    if takesLongToRead { try await context.moveToBackground() }
  }

  /// Whether the body is a long text, which takes longer to read than tensors and files of the same size, or becomes
  /// large when it is decompressed.
  private var takesLongToRead: Bool {
    if let coding = contentCodings.first.flatMap({ ContentCoding(rawValue: $0) }) {
      var count = 0
      _ = coding.decompress(body, limit: Self.maxForegroundTextBytes) { added in
        count += added
        return count <= Self.maxForegroundTextBytes
      }
      return count > Self.maxForegroundTextBytes
    }
    guard body.count > Self.maxForegroundTextBytes else { return false }
    let type = headers["Content-Type"].flatMap { MediaType($0)?.name } ?? "application/json"
    return !type.isBinaryType && headers[OpenInferenceResponseWriter.headerLengthName] == nil
  }
}

extension String {
  /// Whether a media type is that of encoded files or of memory.
  fileprivate var isBinaryType: Bool {
    hasPrefix("image/") || hasPrefix("audio/") || hasPrefix("multipart/")
      || hasSuffix("binary+json")
      || self == "application/octet-stream"
  }
}

// Small requests can become large while they are read, so that memory is reserved first.
extension RequestContext {
  /// The memory for a value of JSON while it is parsed and converted, including what arrays keep free to grow.
  private static let bytesPerValue = 96
  /// The memory for an element of a tensor that is read without a document.
  private static let bytesPerElement = 24
  /// The number of copies of a text: the strings in it, and those that are decoded from Base64.
  private static let textCopyCount = 2

  /// Reserves memory for parsing a JSON text and converting its values.
  func reserve(forJSON text: ArraySlice<UInt8>) throws(ClientError) {
    try memory.grow(
      by: JSONDocument.maxValueCount(in: text) * Self.bytesPerValue
        + Self.textCopyCount * text.count)
  }

  /// Reserves memory for reading the elements of tensors directly from a JSON text.
  func reserve(forElementsIn text: ArraySlice<UInt8>) throws(ClientError) {
    try memory.grow(by: JSONDocument.maxValueCount(in: text) * Self.bytesPerElement)
  }

  /// Parses a JSON text of the client.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - limit: The maximum number of bytes.
  ///   - problem: What the message of an error begins with.
  /// - Returns: The document.
  /// - Throws: A ``ClientError`` if the text is invalid, or there is no memory for it.
  func json(
    _ text: [UInt8], limit: Int = HTTPLimits.maxBodyBytes, invalid problem: String
  ) throws(ClientError) -> JSONDocument {
    try reserve(forJSON: text[...])
    do {
      return try JSONDocument(parsing: text, limits: JSONLimits(bytes: limit)) { [self] in
        isCanceled
      }
    } catch {
      throw ClientError(.badRequest, "invalid-json", "\(problem): \(error)")
    }
  }

  /// Decompresses bytes of the client.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - coding: The compression.
  ///   - limit: The maximum number of decompressed bytes.
  ///   - name: What the bytes are, for messages.
  /// - Returns: The decompressed bytes.
  /// - Throws: A ``ClientError`` if the bytes are invalid or become too large, or there is no memory for them.
  func decompressed(
    _ bytes: [UInt8], _ coding: ContentCoding, limit: Int, _ name: String
  ) throws(ClientError) -> [UInt8] {
    var refusal: ClientError?
    let result = coding.decompress(bytes, limit: limit) { count in
      do throws(ClientError) {
        // The array is copied when it grows.
        try memory.grow(by: 2 * count)
        try checkCancellation()
        return true
      } catch {
        refusal = error
        return false
      }
    }
    if let refusal { throw refusal }
    guard let result else {
      throw ClientError(
        .badRequest, "invalid-encoding", "the \(name) is not valid \(coding.rawValue) data")
    }
    guard result.count <= limit else {
      throw ClientError(
        .contentTooLarge, "body-too-large", "the decompressed \(name) exceeds \(limit) bytes")
    }
    memory.shrink(by: result.count)
    return result
  }
}
