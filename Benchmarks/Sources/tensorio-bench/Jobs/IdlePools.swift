import Foundation
import TensorIO

/// The processor time of a model that has run and waits for the next input.
extension Job {
  static let idlePools = [
    idle("idle-litert", "LiteRT, large model", Place.largeBundle),
    idle("idle-onnx", "ONNX Runtime, like MobileNet v1 0.25", Place.largeONNXBundle),
  ]

  private static func idle(_ name: String, _ title: String, _ bundle: String) -> Job {
    Job(
      name, "idle after 20 runs, 2 sessions of 2 threads: \(title)", against: "–", .idle(percent: 5)
    ) {
      let bundle = try ModelBundle(at: bundle)
      let model = try Model(
        bundle,
        options: OpeningOptions(
          threads: 2, sessions: 2,
          libraries: [.onnx: Place.onnxLibrary, .tflite: Place.library]))
      let work = try work(of: model, bundle.description.inputs[0])
      try work()
      return Contest(
        Contender {
          // Two sessions at a time.
          DispatchQueue.concurrentPerform(iterations: 2) { _ in
            for _ in 0..<10 { try? work() }
          }
          return Measurement(idlePercent: idlePercent(during: 0.2))
        }, agreement: nil)
    }
  }

  /// Returns a run of a model with one input, an image or numbers.
  private static func work(
    of model: Model, _ layer: Layer
  ) throws -> @Sendable () throws -> Void {
    if case .image(let image) = layer.kind {
      let preparation = ImagePreparation(width: image.width, height: image.height)
      let picture = try preparation(ImageBuffer(contentsOf: Place.picture)).image
      return { _ = try model.run(picture) }
    }
    let input = (0..<(layer.elementCount ?? 0)).map { Float($0 % 256) / 255 }
    return { _ = try model.run(input) }
  }

  /// Waits, and returns the share of a processor that all threads of this process used meanwhile.
  private static func idlePercent(during seconds: Double) -> Double {
    let clock = ContinuousClock()
    let (start, used) = (clock.now, processorSeconds)
    Thread.sleep(forTimeInterval: seconds)
    return 100 * (processorSeconds - used) / ((clock.now - start) / .seconds(1))
  }

  private static var processorSeconds: Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
