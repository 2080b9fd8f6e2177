internal import CLiteRT
internal import TensorIOCore
internal import TensorIOSystem

/// A model as LiteRT loaded it, with the bytes it goes on reading from.
@safe final class LoadedGraph: @unchecked Sendable {  // LiteRT only reads a loaded model
  let environment: LiteRTEnvironment
  let handle: LiteRtModel
  private let bytes: ModelBytes
  /// Where its arranged weights are kept; `nil` where they are not.
  let weights: KeptWeights?

  init(_ bytes: ModelBytes, in environment: LiteRTEnvironment) throws(ModelError) {
    guard let start = unsafe bytes.memory.baseAddress, unsafe !bytes.memory.isEmpty else {
      throw ModelError(.runtime, .modelRefused(problem: "the file is empty"))
    }
    try ModelCheck.check(bytes)
    self.environment = environment
    self.bytes = bytes
    weights = environment.weightCache.flatMap { cache in
      guard bytes.count >= KeptWeights.leastBytes,
        let arrangement = environment.library.arrangement
      else { return nil }
      return KeptWeights(in: cache) {
        let digest = KnownDigests(in: cache).digest(of: bytes.identity) { bytes.digest }
        return SHA256.digest(of: Array((digest + arrangement).utf8)).hexadecimal
      }
    }
    unsafe handle = try environment.exclusively { () throws(ModelError) in
      var handle: LiteRtModel?
      let status = unsafe environment.library.functions.pointee.LiteRtCreateModelFromBuffer(
        environment.handle, start, bytes.memory.count, &handle)
      return try unsafe require(handle, status, from: "LiteRtCreateModelFromBuffer")
    }
  }

  deinit {
    unsafe environment.library.functions.pointee.LiteRtDestroyModel(handle)
  }

  /// The kinds of operators in the file.
  var operators: ModelOperators? { ModelOperators(bytes) }

  /// A section of bytes that the file carries beside its graphs.
  func metadata(named name: String) -> [UInt8]? {
    var start: UnsafeRawPointer?
    var count = 0
    let status = unsafe environment.library.functions.pointee.LiteRtGetModelMetadata(
      handle, name, &start, &count)
    guard status == 0, let start = unsafe start else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
