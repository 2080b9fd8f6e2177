import CPixelKernels
import Synchronization

/// The weights of one axis, arranged for the processor's widest instructions.
///
/// The corresponding functions are `pixels_arrange` and `pixels_arrangement_free`.
@safe final class ArrangedWeights: @unchecked Sendable {  // what it holds is never written again
  /// `nil` where there is no use for an arrangement.
  let plan: OpaquePointer?

  init(_ weights: ResamplingWeights, channels: Int, width: Int) {
    unsafe plan = weights.withTaps { taps in
      unsafe pixels_arrange(PixelKernels.form, taps, Int32(channels), Int32(width))
    }
  }

  deinit {
    if let plan = unsafe plan { unsafe pixels_arrangement_free(plan) }
  }
}

/// What weights are arranged as for pictures of so many channels, made when they come first.
final class WeightArrangements: Sendable {
  private let byChannels = Mutex<[Int: ArrangedWeights]>([:])

  func arrangement(
    of weights: ResamplingWeights, channels: Int, width: Int
  ) -> ArrangedWeights {
    byChannels.withLock { known in
      if let arranged = known[channels] { return arranged }
      let arranged = ArrangedWeights(weights, channels: channels, width: width)
      known[channels] = arranged
      return arranged
    }
  }
}

extension ResamplingWeights {
  /// Lends the weights as the kernels in C want them; `nil` where there are none.
  func withTaps<Result>(_ body: (UnsafePointer<pixels_taps>) -> Result?) -> Result? {
    unsafe starts.withUnsafeBufferPointer { starts in
      unsafe counts.withUnsafeBufferPointer { counts in
        unsafe weights.withUnsafeBufferPointer { weights in
          guard let start = starts.baseAddress, let count = counts.baseAddress,
            let weight = weights.baseAddress
          else { return nil }
          var taps = unsafe pixels_taps(
            length: Int32(starts.count), stride: Int32(stride), starts: start, counts: count,
            weights: weight)
          return unsafe body(&taps)
        }
      }
    }
  }
}
