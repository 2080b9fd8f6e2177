internal import TensorIOCore
internal import TensorIOImage

/// The things that a chain has found, written as outputs of its detector would be.
///
/// They are what its later steps were about, so each row has its value in their lists.
struct ThingRows {
  /// How corners and points are written, whatever the detector's own outputs have.
  static let settings = ["coordinates": #""pixels""#, "box_order": #""yxyx""#]

  /// The step of the detector.
  let step: String
  /// The detector.
  let model: Model
  /// The outputs that tell of things.
  let layers: [Layer]

  init(_ model: Model, step: String) throws(ModelError) {
    (self.model, self.step) = (model, step)
    let names = try DetectionReader(model).outputs
    layers = model.outputs.filter { names.contains($0.name) }
  }

  /// Things in the detector's outputs, a row each.
  func layers(of things: [Detection]) -> [ModelOutput.Layer] {
    layers.map { layer in
      .init(name: layer.name, value: .numbers(Self.numbers(layer.role, of: things)))
    }
  }

  /// Corners and points are in pixels of the picture, so nothing leads back to it.
  func geometries(in output: ChainOutput) -> [ImageGeometry?] {
    let geometry = output.outputs[step]?.first?.geometries.lazy.compactMap(\.self).first
    guard let geometry else { return [] }
    return [
      ImageGeometry(unchangedWidth: geometry.pictureWidth, height: geometry.pictureHeight)
    ]
  }

  private static func numbers(_ role: OutputRole?, of things: [Detection]) -> Numbers {
    switch role {
    case .boxes:
      let corners = things.flatMap { [$0.box.ymin, $0.box.xmin, $0.box.ymax, $0.box.xmax] }
      return numbers(corners, [1, things.count, 4])
    case .classes: return numbers(things.map { Double($0.index) }, [1, things.count])
    case .count: return numbers([Double(things.count)], [1])
    case .keypoints:
      let places = things.flatMap { $0.keypoints.flatMap { [$0.y, $0.x] } }
      return numbers(places, [1, things.count, things.first?.keypoints.count ?? 0, 2])
    default: return Numbers(.floats(things.map(\.score)), shape: [1, things.count])
    }
  }

  private static func numbers(_ values: [Double], _ shape: [Int]) -> Numbers {
    Numbers(.floats(values.map(Float.init)), shape: shape)
  }
}
