import TensorIO

/// A model as large as MobileNet, and a picture that is prepared already.
extension Job {
  static let largeModel = [
    Job(
      "large", "large model, preprocessed image, 1 thread", against: "LiteRT's C API: invoke",
      .time(times: 1.02)
    ) {
      let large = try LargeModel()
      let ours = try Contender.repeating { times in
        for _ in 0..<times { _ = try large.model.run(large.picture) }
      }
      return Contest(
        ours, against: try .repeating { large.floor.invoke(times: $0) },
        agreement: try large.agreement())
    },
    Job("large-encode", "of this: writing the image into the tensor", against: "–", .time) {
      let large = try LargeModel()
      return Contest(
        Contender {
          var timings = Timings()
          _ = try large.model.run(large.picture, timings: &timings)
          return Measurement(microseconds: timings.input.milliseconds * 1000)
        })
    },
  ]
}

/// The large model in TensorIO and in LiteRT alone, in one process and one library.
private struct LargeModel {
  let model: Model
  let floor: LiteRTFloor
  let picture: ImageBuffer

  init() throws {
    let bundle = try ModelBundle(at: Place.largeBundle)
    model = try Model(
      bundle,
      options: OpeningOptions(threads: 1, libraries: [.tflite: Place.library]))
    picture = try Self.picture(for: model)
    floor = LiteRTFloor(model: try bundle.modelFile.path, input: picture.pixels)
  }

  private static func picture(for model: Model) throws -> ImageBuffer {
    guard case .image(let layer) = model.inputs[0].kind else { throw BenchError.notAPicture }
    let preparation = ImagePreparation(width: layer.width, height: layer.height)
    return try preparation(ImageBuffer(contentsOf: Place.picture)).image
  }

  func agreement() throws -> String {
    let scores = try model.run(picture).layers[0].value.numbers?.floats ?? []
    let bytes = floor.output(as: UInt8.self)
    return scores.placeOfHighest == bytes.placeOfHighest ? "same top 1" : "another top 1"
  }
}

extension Array where Element: Comparable {
  fileprivate var placeOfHighest: Int? { indices.max { self[$0] < self[$1] } }
}
