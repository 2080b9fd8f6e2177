/// The format and the position of the samples of a WAV file.
///
/// The file is RIFF, its big-endian form RIFX, or RF64 for files of more than 4 GB. Chunks other
/// than `fmt `, `ds64` and `data` are skipped.
package struct WAVHeader: Sendable, Hashable {
  /// The format of the samples.
  package let format: AudioFormat
  /// The offsets of the complete frames that the file has.
  ///
  /// If the declared size is zero or unknown because the file was written to a pipe, the data
  /// extends to the end of the file.
  package let data: Range<Int>
  /// The number of bytes of samples that the file should have; `nil` if it is unknown.
  package let declaredByteCount: Int?

  /// Parses the header of a file.
  package init(of bytes: [UInt8]) throws(AudioError) {
    let container = try RIFFContainer(of: bytes)
    var format: AudioFormat?
    var size64: UInt64?
    var position = RIFFContainer.headerSize
    for _ in 0..<AudioLimits.maxChunks {
      let chunk = try container.chunk(at: position)
      switch chunk.identifier {
      case "fmt ": format = try WAVFormatChunk(chunk, in: container).format
      case "ds64": size64 = container.reader.uint64(at: chunk.start + 8)
      case "data":
        guard let format else {
          throw AudioError(.corrupt(message: "the format chunk does not precede the samples"))
        }
        self.format = format
        let count = container.byteCount(ofData: chunk, size64: size64)
        declaredByteCount = container.declaredByteCount(ofData: chunk, size64: size64)
        data = chunk.start..<chunk.start + count - count % format.bytesPerFrame
        return
      default: break
      }
      position = try container.end(of: chunk)
    }
    throw AudioError(.corrupt(message: "more than \(AudioLimits.maxChunks) chunks"))
  }

  /// The number of frames.
  package var frameCount: Int { data.count / format.bytesPerFrame }

  /// Whether bytes begin like a WAV file.
  package static func isSignature(beginning bytes: [UInt8]) -> Bool {
    (try? RIFFContainer(of: bytes)) != nil
  }
}
