/// The contents of a SentencePiece `.model` file.
struct SentencePieceModel: Sendable {
  /// The maximum length of a piece in bytes.
  static let maxPieceBytes = 1_024

  /// The role of a piece.
  enum Kind: UInt64, Sendable {
    case normal = 1
    case unknown, control, userDefined, unused, byte
  }

  /// The segmentation algorithm.
  enum Algorithm: UInt64, Sendable {
    case unigram = 1
    case bpe, word, char
  }

  /// A piece of the vocabulary.
  struct Piece: Sendable {
    var bytes: Range<Int> = 0..<0
    var score: Float = 0
    var kind = Kind.normal
  }

  /// The file.
  let bytes: [UInt8]
  private(set) var pieces: [Piece] = []
  private(set) var algorithm = Algorithm.unigram
  private(set) var hasByteFallback = false
  private(set) var treatsSpaceAsSuffix = false
  private(set) var unknownSurface = " \u{2047} "
  private(set) var startPiece = Array("<s>".utf8)
  private(set) var endPiece = Array("</s>".utf8)
  private(set) var paddingPiece = Array("<pad>".utf8)
  private(set) var charsmap: Range<Int> = 0..<0
  private(set) var addsDummyPrefix = true
  private(set) var removesExtraSpaces = true
  private(set) var escapesSpaces = true

  /// Parses a file.
  init(_ bytes: [UInt8]) throws(TokenizerError) {
    try TokenVocabulary.checkSize(bytes)
    self.bytes = bytes
    var reader = ProtobufReader(bytes, in: 0..<bytes.count)
    while let (number, value) = try reader.next() {
      guard case .bytes(let range) = value else { continue }
      switch number {
      case 1:
        pieces.append(try piece(in: range))
        try TokenVocabulary.checkCount(pieces.count)
      case 2: try readTrainerSettings(in: range)
      case 3: try readNormalizerSettings(in: range)
      default: break
      }
    }
  }

  private func piece(in range: Range<Int>) throws(TokenizerError) -> Piece {
    var piece = Piece()
    var reader = ProtobufReader(bytes, in: range)
    while let (number, value) = try reader.next() {
      switch (number, value) {
      case (1, .bytes(let text)): piece.bytes = text
      case (2, .fixed32(let bits)): piece.score = Float(bitPattern: bits)
      case (3, .varint(let kind)):
        guard let kind = Kind(rawValue: kind) else {
          throw TokenizerError(vocabulary: "piece \(pieces.count) has an unknown type")
        }
        piece.kind = kind
      default: break
      }
    }
    guard (1...Self.maxPieceBytes).contains(piece.bytes.count) else {
      throw TokenizerError(
        vocabulary: "piece \(pieces.count) has \(piece.bytes.count) bytes instead of 1 to 1024")
    }
    guard piece.score.isFinite else {
      throw TokenizerError(vocabulary: "the score of piece \(pieces.count) is not finite")
    }
    return piece
  }

  private mutating func readTrainerSettings(in range: Range<Int>) throws(TokenizerError) {
    var reader = ProtobufReader(bytes, in: range)
    while let (number, value) = try reader.next() {
      switch (number, value) {
      case (3, .varint(let kind)):
        guard let kind = Algorithm(rawValue: kind) else {
          throw TokenizerError(vocabulary: "its model type \(kind) is unknown")
        }
        algorithm = kind
      case (24, .varint(let flag)): treatsSpaceAsSuffix = flag != 0
      case (35, .varint(let flag)): hasByteFallback = flag != 0
      case (44, .bytes(let text)): unknownSurface = String(decoding: bytes[text], as: UTF8.self)
      case (46, .bytes(let text)): startPiece = Array(bytes[text])
      case (47, .bytes(let text)): endPiece = Array(bytes[text])
      case (48, .bytes(let text)): paddingPiece = Array(bytes[text])
      default: break
      }
    }
  }

  private mutating func readNormalizerSettings(in range: Range<Int>) throws(TokenizerError) {
    var reader = ProtobufReader(bytes, in: range)
    while let (number, value) = try reader.next() {
      switch (number, value) {
      case (2, .bytes(let map)): charsmap = map
      case (3, .varint(let flag)): addsDummyPrefix = flag != 0
      case (4, .varint(let flag)): removesExtraSpaces = flag != 0
      case (5, .varint(let flag)): escapesSpaces = flag != 0
      default: break
      }
    }
  }
}
