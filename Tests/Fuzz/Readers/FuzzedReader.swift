/// A parser of untrusted input that is fuzzed.
///
/// For any input, a reader terminates in time, does not crash, and satisfies its properties.
enum FuzzedReader: String, CaseIterable, Sendable {
  case description, json, chain, input, labels, card, export
  case settings, ledger, checkpoint, journal, report, digest, reference
  case manifest, versions, key, signature
  case archive, flatbuffer, protobuf, onnx
  case header, exif, pixels, codecs, mask
  case wav
  case vocabulary, tokenizer, pattern, text, sentencePiece = "sentence-piece", template
  case constraint
  case npy, table, xml, jpegStream = "jpeg-stream", pixmapStream = "pixmap-stream"
  case coco, autoML = "automl", boxLines = "box-lines", voc, items, list, test
  case outlines, tracks, questions, sentences, prompts, textImages = "text-images"
  case detections, segmentations, poses, tracking
  case http, target, form, studio, request, answer
  case openAI = "openai", toolCalls = "tool-calls"
  case openInference = "open-inference", numbers, csv
  case grpcMessages = "grpc-messages", grpcInference = "grpc-inference"
  case grpcExamples = "grpc-examples", http2

  /// Parses the bytes and verifies the reader's properties.
  func read(_ bytes: [UInt8]) throws(PropertyViolation) {
    try function(bytes)
  }

  private var function: ([UInt8]) throws(PropertyViolation) -> Void {
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
    case .reference: KeepingReaders.reference
    case .manifest: TrustReaders.manifest
    case .versions: TrustReaders.versions
    case .key: TrustReaders.key
    case .signature: TrustReaders.signature
    case .archive: ModelReaders.archive
    case .flatbuffer: ModelReaders.flatbuffer
    case .protobuf: ModelReaders.protobuf
    case .onnx: ModelReaders.onnx
    case .header: ImageReaders.header
    case .exif: ImageReaders.exif
    case .pixels: ImageReaders.pixels
    case .codecs: ImageReaders.codecs
    case .mask: ImageReaders.mask
    case .wav: AudioReaders.wav
    case .vocabulary: TextReaders.vocabulary
    case .tokenizer: TextReaders.tokenizer
    case .pattern: TextReaders.pattern
    case .text: TextReaders.text
    case .sentencePiece: TextReaders.sentencePiece
    case .template: TemplateReaders.template
    case .constraint: ConstraintReaders.constraint
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
    case .outlines: StructuredReaders.outlines
    case .tracks: StructuredReaders.tracks
    case .questions: StructuredReaders.questions
    case .sentences: StructuredReaders.sentences
    case .textImages: StructuredReaders.textImages
    case .prompts: StructuredReaders.prompts
    case .detections: ResultReaders.detections
    case .segmentations: ResultReaders.segmentations
    case .poses: ResultReaders.poses
    case .tracking: TrackingReaders.frames
    case .http: ServerReaders.http
    case .target: ServerReaders.target
    case .form: ServerReaders.form
    case .studio: StudioReaders.requests
    case .request: WorkerReaders.request
    case .answer: WorkerReaders.answer
    case .openAI: OpenAIReaders.request
    case .toolCalls: OpenAIReaders.toolCalls
    case .openInference: InferenceReaders.openInference
    case .numbers: InferenceReaders.numbers
    case .csv: InferenceReaders.csv
    case .grpcMessages: GRPCReaders.messages
    case .grpcInference: GRPCReaders.inference
    case .grpcExamples: GRPCReaders.examples
    case .http2: GRPCReaders.http2
    }
  }
}

/// A property that a reader violated.
struct PropertyViolation: Error, CustomStringConvertible {
  let description: String
}

/// Throws unless a property holds.
func verify(_ holds: Bool, _ violation: String) throws(PropertyViolation) {
  if !holds { throw PropertyViolation(description: violation) }
}

/// Returns the result of `read`, or `nil` if it rejects the bytes.
func unlessRejected<Value>(_ read: () throws -> Value) -> Value? { try? read() }
