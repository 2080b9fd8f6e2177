/// A reader of bytes from anywhere, as fuzzing sees it.
///
/// Whatever the bytes are, it comes to an end soon, takes nothing down, and keeps what it promises.
enum FuzzedReader: String, CaseIterable, Sendable {
  case description, json, chain, input, labels, settings, ledger, checkpoint
  case archive, flatbuffer, protobuf
  case header, exif, pixels, codecs
  case npy, table, xml, jpegStream = "jpeg-stream", pixmapStream = "pixmap-stream"
  case http, form, request, answer

  /// Lets the reader read.
  func read(_ bytes: [UInt8]) throws(BrokenPromise) {
    try reading(bytes)
  }

  private var reading: ([UInt8]) throws(BrokenPromise) -> Void {
    switch self {
    case .description: DescribingReaders.description
    case .json: DescribingReaders.json
    case .chain: DescribingReaders.chain
    case .input: DescribingReaders.input
    case .labels: DescribingReaders.labels
    case .settings: KeepingReaders.settings
    case .ledger: KeepingReaders.ledger
    case .checkpoint: KeepingReaders.checkpoint
    case .archive: ModelReaders.archive
    case .flatbuffer: ModelReaders.flatbuffer
    case .protobuf: ModelReaders.protobuf
    case .header: PictureReaders.header
    case .exif: PictureReaders.exif
    case .pixels: PictureReaders.pixels
    case .codecs: PictureReaders.codecs
    case .npy: DataReaders.npy
    case .table: DataReaders.table
    case .xml: DataReaders.xml
    case .jpegStream: StreamReaders.jpegs
    case .pixmapStream: StreamReaders.pixmaps
    case .http: ServerReaders.http
    case .form: ServerReaders.form
    case .request: WorkerReaders.request
    case .answer: WorkerReaders.answer
    }
  }
}

/// What a reader did not keep to.
struct BrokenPromise: Error, CustomStringConvertible {
  let description: String
}

/// Says that a reader has broken a promise unless it has kept it.
func promise(_ isKept: Bool, _ what: String) throws(BrokenPromise) {
  if !isKept { throw BrokenPromise(description: what) }
}

/// What an error is not worth reporting for: the bytes were refused.
func unlessRefused<Value>(_ read: () throws -> Value) -> Value? { try? read() }
