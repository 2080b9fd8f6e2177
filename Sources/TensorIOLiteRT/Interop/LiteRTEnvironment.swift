internal import CLiteRT
internal import Synchronization
internal import TensorIOCore

/// What LiteRT wants to exist before anything else does: here, a CPU and no log.
///
/// Told nothing, it would look along the loader's path for accelerators and open what it finds.
@safe final class LiteRTEnvironment: @unchecked Sendable {  // making things is under `making`
  let library: LiteRTLibrary
  let handle: LiteRtEnvironment
  /// Where arranged weights are kept; `nil` keeps none.
  let weightCache: WeightCache?
  private let making = Mutex<Void>(())

  init(_ library: LiteRTLibrary, _ weightCache: WeightCache?) throws(ModelError) {
    self.library = library
    self.weightCache = weightCache
    var handle: LiteRtEnvironment?
    let status = unsafe clitert_create_environment(library.functions, &handle)
    unsafe self.handle = try require(handle, status, from: "LiteRtCreateEnvironment")
  }

  deinit {
    unsafe library.functions.pointee.LiteRtDestroyEnvironment(handle)
  }

  /// Loads or compiles something, one caller at a time: LiteRT does not promise that two may.
  func exclusively<Result>(
    _ body: () throws(ModelError) -> Result
  ) throws(ModelError) -> Result {
    try making.withLock { (_) throws(ModelError) in try body() }
  }
}
