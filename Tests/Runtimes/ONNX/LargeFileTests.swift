import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOONNX

/// Files that the runtime reads after they have been validated.
@Suite(.ownThreads) struct LargeFileTests {
  /// A backend that has the runtime read files of all sizes.
  private static let streaming = {
    var backend = ONNXBackend()
    backend.minStreamedByteCount = 0
    return backend
  }()

  /// Runs a model, and returns the bytes of its outputs.
  private static func outputs(_ model: ONNXModel, _ golden: ONNXGolden) throws -> [[UInt8]] {
    let session = try model.makeSession(SessionOptions())
    try session.resize([golden.shape])
    try session.fill(with: golden.input)
    try session.invoke()
    return try model.signature.outputs.enumerated().flatMap { index, tensor in
      tensor.elementType == .string
        ? try session.readStrings(index)
        : [try session.output(index, as: UInt8.self).numbers]
    }
  }

  @Test(arguments: ONNXGolden.all)
  func `A model from its file has the outputs of one from its bytes`(_ golden: ONNXGolden) throws {
    let file = ONNXModels.file(golden.model)
    let model = try Self.streaming.model(at: file)
    let other = try ONNXModels.backend.model(
      bytes: ONNXModels.bytes(golden.model), of: file, for: nil)
    #expect(model.signature == other.signature)
    #expect(model.metadata == other.metadata)
    #expect(try Self.outputs(model, golden) == Self.outputs(other, golden))
  }

  /// Validates a file, changes it, and loads it.
  private func load(
    _ file: ModelFile, afterChange change: () throws -> Void
  ) throws -> ONNXModel {
    let bytes = try file.contents(limit: ONNXFile.maxByteCount)
    let validated = try ValidatedONNXFile(bytes, of: file, minStreamedByteCount: 0)
    try change()
    let path = try ONNXModels.backend.locateLibrary().path
    guard case .opened(let library) = ONNXLibrary.open(path) else {
      throw ModelError(.runtime, .failed("no library"))
    }
    return try ONNXModel(validated, for: nil, in: library)
  }

  @Test func `A file that is changed after it was validated is not loaded`() throws {
    let folder = try TemporaryFolder()
    let original = try ONNXModels.bytes("convolution")
    let other = try ONNXModels.bytes("recurrent")
    var weights = original
    weights[original.count / 2] ^= 1
    let path = try folder.write(original, to: "model.onnx")
    let file = ModelFile(path: path, name: "model.onnx")
    _ = try load(file) {}
    for changed in [other, weights, Array(original.dropLast()), original + [0], []] {
      try folder.write(original, to: "model.onnx")
      let error = #expect(throws: ModelError.self) {
        try load(file) { try folder.write(changed, to: "model.onnx") }
      }
      #expect(error?.code == "bundle-changed")
    }
    try folder.write(original, to: "model.onnx")
    let error = #expect(throws: ModelError.self) {
      try load(file) { try FileManager.default.removeItem(atPath: path) }
    }
    #expect(error?.code == "bundle-changed")
  }

  /// Writes a model whose constant in another file is four, for the sum of it and the input.
  private func fourElsewhere(in folder: TemporaryFolder) throws -> ModelFile {
    let sketch = ONNXSketch(
      ONNXSketch.node("Add", ["x", "c"]),
      constants: [ONNXSketch.constant("c", [1], external: ["location": "weights.bin"])])
    try folder.write([0, 0, 0x80, 0x40], to: "weights.bin")
    return ModelFile(
      path: try folder.write(sketch.bytes, to: "model.onnx"), name: "model.onnx")
  }

  @Test func `Weights are those of the file that was validated`() throws {
    let folder = try TemporaryFolder()
    let file = try fourElsewhere(in: folder)
    let model = try load(file) {
      // The new file is not open.
      try FileManager.default.removeItem(atPath: "\(folder.path)/weights.bin")
      try folder.write([1, 2], to: "weights.bin")
    }
    let session = try model.makeSession(SessionOptions())
    try session.fill(with: [1] as [Float])
    try session.invoke()
    #expect(try session.output(as: Float.self).numbers == [5])
    #expect(model.weightFiles == ["weights.bin"])
  }

  @Test func `A file with weights that becomes shorter is not loaded`() throws {
    let folder = try TemporaryFolder()
    let file = try fourElsewhere(in: folder)
    let error = #expect(throws: ModelError.self) {
      try load(file) {
        try FileHandle(forWritingTo: URL(filePath: "\(folder.path)/weights.bin"))
          .truncate(atOffset: 3)
      }
    }
    #expect(error?.code == "bundle-changed")
  }

  /// A model is in memory once, and not also as a file.
  @Test(arguments: [false, true])
  func `A large file is not in memory while the runtime reads it`(
    _ hasWeightFile: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    let byteCount = 200 * LargeONNXModel.columns * 1000
    let path = "\(folder.path)/model.onnx"
    try LargeONNXModel.write(
      byteCount, to: URL(filePath: path),
      weights: hasWeightFile ? URL(filePath: "\(folder.path)/weights.bin") : nil)
    // A separate process, so that memory allocated by other tests is not measured.
    await #expect(processExitsWith: .success) {
      [path = path as String, byteCount = byteCount as Int] in
      _ = try ONNXModels.model("linear-one")
      let before = try MemoryUsage.peakBytes
      let file = ModelFile(path: path, name: "model.onnx")
      let bare = try ONNXModels.backend.bareModel(at: file)
      let growth = try MemoryUsage.peakBytes - before
      #expect(growth < byteCount * 3 / 2, "\(growth) bytes")
      let session = try bare.model.makeSession(SessionOptions())
      for (row, value) in [(0, 0), (LargeONNXModel.rows(byteCount) - 1, 1)] as [(Int, Float)] {
        try session.fill(with: [Float(row)])
        try session.invoke()
        let numbers = try session.output(as: Float.self).numbers
        #expect(numbers == Array(repeating: value, count: LargeONNXModel.columns))
      }
    }
  }
}

@Suite(.ownThreads) struct ONNXFileStreamTests {
  private static let contents = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }

  /// Returns the first bytes that a reader of a file receives, and what the stream reports.
  private func read(
    _ path: String, _ fingerprint: ContentFingerprint, limit: Int = 1 << 22
  ) throws -> ([UInt8], ONNXFileStream.Outcome) {
    var bytes: [UInt8] = []
    let outcome = try ONNXFileStream.read(.file(path: path, fingerprint)) { path in
      guard let file = FileHandle(forReadingAtPath: path) else { return }
      while bytes.count < limit, let next = try? file.read(upToCount: 1 << 16), !next.isEmpty {
        bytes += next
      }
    }
    return (bytes, outcome)
  }

  @Test func `A reader receives contents that have the fingerprint`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.contents, to: "file")
    let (bytes, outcome) = try read(path, ContentFingerprint(Self.contents))
    #expect(bytes == Self.contents && outcome == .complete)
  }

  @Test func `A reader of other contents receives no end`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.contents, to: "file")
    let fingerprint = ContentFingerprint(Self.contents + [0])
    let (bytes, outcome) = try read(path, fingerprint)
    #expect(bytes.count >= 1 << 22 && outcome == .changed)
    // The contents are sent in pieces of a MiB.
    #expect(bytes.prefix(2 << 20) == Self.contents.prefix(2 << 20))
    #expect(bytes.dropFirst(2 << 20).allSatisfy { $0 == 0xFF })
    let missing = try read("\(folder.path)/missing", fingerprint)
    #expect(missing.0.allSatisfy { $0 == 0xFF } && missing.1 == .changed)
  }

  @Test func `A reader that stops early ends the stream`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.contents, to: "file")
    let (bytes, outcome) = try read(path, ContentFingerprint(Self.contents), limit: 1)
    #expect(bytes == Array(Self.contents.prefix(bytes.count)) && outcome == .abandoned)
  }

  @Test func `Fingerprints depend on all bytes but not on their division`() {
    let fingerprint = ContentFingerprint(Self.contents)
    for length in [1000, 1 << 20, 7] {
      var parts = ContentFingerprint()
      for start in stride(from: 0, to: Self.contents.count, by: length) {
        unsafe Self.contents[start...].prefix(length).withUnsafeBytes { unsafe parts.add($0) }
      }
      #expect(parts == fingerprint)
    }
    for position in [0, 1_500_000, 2_999_999] {
      var changed = Self.contents
      changed[position] ^= 1
      #expect(ContentFingerprint(changed) != fingerprint)
    }
    #expect(ContentFingerprint(Array(Self.contents.dropLast())) != fingerprint)
  }
}
