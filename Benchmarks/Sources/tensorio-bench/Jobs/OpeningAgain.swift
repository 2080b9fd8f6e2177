import Foundation
import TensorIO
import TensorIOLiteRT

/// A model that was opened before, and whose weights are kept as the runtime arranges them.
extension Job {
  static let openingAgain = [
    Job(
      "open-again", "large model reopened, with cached weights",
      against: "TensorIO without the cache", .time(times: 1 / 3)
    ) {
      let (kept, anew) = (try model(WeightCache(path: Place.weights)), try model(nil))
      return Contest(
        try .repeating { try makeReady(kept, times: $0) },
        against: try .repeating { try makeReady(anew, times: $0) })
    }
  ]

  private static func model(_ cache: WeightCache?) throws -> LiteRTModel {
    let file = try ModelBundle(at: Place.largeBundle).modelFile
    return try LiteRTBackend(library: Place.library, weightCache: cache).model(at: file)
  }

  /// Compiles the model and allocates its tensors.
  private static func makeReady(_ model: LiteRTModel, times: Int) throws {
    for _ in 0..<times { _ = try model.makeSession(SessionOptions()) }
  }
}
