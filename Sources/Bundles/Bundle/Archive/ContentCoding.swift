/// A compression of HTTP bodies.
package enum ContentCoding: String, Sendable, CaseIterable {
  case gzip, deflate

  private var container: ZlibStream.Container { self == .gzip ? .gzip : .zlib }

  /// Returns the bytes compressed, for speed or as usual; `nil` if zlib has no memory.
  package func compress(_ bytes: [UInt8], isFast: Bool = true) -> [UInt8]? {
    var source: [UInt8]? = bytes
    var result: [UInt8] = []
    do throws(ArchiveError) {
      try ZlibStream.compress(container: container, isFast: isFast) {
        defer { source = nil }
        return source ?? []
      } into: {
        result += $0
      }
    } catch {
      return nil
    }
    return result
  }

  /// Returns the decompressed bytes; `nil` if they are invalid.
  ///
  /// Decompression stops as soon as there are more bytes than the limit.
  ///
  /// - Parameters:
  ///   - bytes: The compressed bytes.
  ///   - limit: The maximum number of bytes of the result.
  ///   - mayGrow: Returns whether a number of bytes may be added to the result.
  /// - Returns: The result, or a prefix that is longer than the limit.
  package func decompress(
    _ bytes: [UInt8], limit: Int, mayGrow: (_ by: Int) -> Bool = { _ in true }
  ) -> [UInt8]? {
    var source: [UInt8]? = bytes
    var result: [UInt8] = []
    do throws(ArchiveError) {
      try ZlibStream.decompress(container: container) {
        defer { source = nil }
        return source ?? []
      } into: { (chunk) throws(ArchiveError) in
        guard mayGrow(chunk.count) else { throw .corrupt("the decompressed data is not needed") }
        result += chunk
        guard result.count <= limit else { throw .corrupt("the decompressed data is too large") }
      }
    } catch {
      return result.count > limit ? result : nil
    }
    return result
  }
}
