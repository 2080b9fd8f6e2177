/// The chunks of a RIFF, RIFX or RF64 file with the form type `WAVE`.
struct RIFFContainer {
  /// A chunk: its identifier, and where its content is.
  struct Chunk {
    let identifier: String
    /// The offset of the content.
    let start: Int
    /// The declared size of the content, which may be wrong.
    let size: UInt32
  }

  /// The size of the header that precedes the first chunk.
  static let headerSize = 12
  /// The size that stands for an unknown one, or for one in the `ds64` chunk.
  private static let unknownSize = UInt32.max

  let reader: AudioByteReader
  private let is64Bit: Bool
  /// The declared size of the file without the first eight bytes.
  private let size: UInt32

  init(of bytes: [UInt8]) throws(AudioError) {
    let signature = AudioByteReader.text(of: bytes, at: 0)
    switch signature {
    case "RIFF": (is64Bit, reader) = (false, AudioByteReader(bytes, isBigEndian: false))
    case "RIFX": (is64Bit, reader) = (false, AudioByteReader(bytes, isBigEndian: true))
    case "RF64", "BW64": (is64Bit, reader) = (true, AudioByteReader(bytes, isBigEndian: false))
    default:
      let isPrefix = ["RIFF", "RIFX", "RF64", "BW64"].contains { known in
        bytes.count < 4 && known.utf8.starts(with: bytes)
      }
      throw AudioError(isPrefix ? .truncated : .unknownFormat)
    }
    guard let size = reader.uint32(at: 4), bytes.count >= Self.headerSize else {
      throw AudioError(.truncated)
    }
    guard AudioByteReader.text(of: bytes, at: 8) == "WAVE" else { throw AudioError(.unknownFormat) }
    self.size = size
  }

  /// Returns the chunk at an offset.
  func chunk(at position: Int) throws(AudioError) -> Chunk {
    guard let size = reader.uint32(at: position + 4) else { throw AudioError(.truncated) }
    return Chunk(
      identifier: AudioByteReader.text(of: reader.bytes, at: position), start: position + 8,
      size: size)
  }

  /// Returns the offset of the chunk that follows one.
  func end(of chunk: Chunk) throws(AudioError) -> Int {
    // Chunks begin at even offsets.
    guard let size = Int(exactly: chunk.size), size <= reader.count - chunk.start else {
      throw AudioError(.truncated)
    }
    return chunk.start + size + size % 2
  }

  /// Returns the number of bytes of the samples that exist.
  func byteCount(ofData chunk: Chunk, size64: UInt64?) -> Int {
    let available = reader.count - chunk.start
    if chunk.size == 0, isComplete { return 0 }
    return min(declaredByteCount(ofData: chunk, size64: size64) ?? available, available)
  }

  /// Returns the declared number of bytes of the samples; `nil` if it is unknown.
  func declaredByteCount(ofData chunk: Chunk, size64: UInt64?) -> Int? {
    if chunk.size == Self.unknownSize {
      return is64Bit ? size64.flatMap { $0 == 0 ? nil : Int(clamping: $0) } : nil
    }
    return chunk.size == 0 ? nil : Int(clamping: chunk.size)
  }

  /// Whether the declared size is that of the file: then an empty chunk is empty, and was not
  /// written by a program that did not know the size yet.
  private var isComplete: Bool {
    guard let declared = Int(exactly: size) else { return false }
    return declared + 8 == reader.count || declared + declared % 2 + 8 == reader.count
  }
}
