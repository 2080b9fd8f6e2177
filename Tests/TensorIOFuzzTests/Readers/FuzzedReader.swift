/// A reader of bytes from anywhere, as fuzzing sees it.
///
/// Whatever the bytes are, it comes to an end soon, takes nothing down, and keeps what it promises.
enum FuzzedReader: String, CaseIterable, Sendable {
  case description, json, chain, input, labels, card, export
  case settings, ledger, checkpoint, journal, report, digest
  case manifest, versions, key, signature
  case archive, flatbuffer, protobuf
  case header, exif, pixels, codecs, mask
  case npy, table, xml, jpegStream = "jpeg-stream", pixmapStream = "pixmap-stream"
  case coco, autoML = "automl", boxLines = "box-lines", voc, items, list, test
  case http, target, form, studio, request, answer

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
    case .card: DescribingReaders.card
    case .export: DescribingReaders.export
    case .settings: KeepingReaders.settings
    case .ledger: KeepingReaders.ledger
    case .checkpoint: KeepingReaders.checkpoint
    case .journal: KeepingReaders.journal
    case .report: KeepingReaders.report
    case .digest: KeepingReaders.digest
    case .manifest: TrustReaders.manifest
    case .versions: TrustReaders.versions
    case .key: TrustReaders.key
    case .signature: TrustReaders.signature
    case .archive: ModelReaders.archive
    case .flatbuffer: ModelReaders.flatbuffer
    case .protobuf: ModelReaders.protobuf
    case .header: PictureReaders.header
    case .exif: PictureReaders.exif
    case .pixels: PictureReaders.pixels
    case .codecs: PictureReaders.codecs
    case .mask: PictureReaders.mask
    case .npy: DataReaders.npy
    case .table: DataReaders.table
    case .xml: DataReaders.xml
    case .jpegStream: StreamReaders.jpegs
    case .pixmapStream: StreamReaders.pixmaps
    case .coco: AnnotationReaders.coco
    case .autoML: AnnotationReaders.autoML
    case .boxLines: AnnotationReaders.boxLines
    case .voc: AnnotationReaders.voc
    case .items: AnnotationReaders.items
    case .list: AnnotationReaders.list
    case .test: AnnotationReaders.test
    case .http: ServerReaders.http
    case .target: ServerReaders.target
    case .form: ServerReaders.form
    case .studio: StudioReaders.requests
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
