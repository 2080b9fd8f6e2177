internal import TensorIO
internal import TensorIOCore

/// A bundle as declared and as found.
struct Inspection {
  let bundle: ModelBundle
  /// The model as its runtime sees it, where it could be loaded.
  let model: (any RuntimeModel)?
  let problems: [Problem]

  init(_ bundle: ModelBundle, model: (any RuntimeModel)?, problems: [Problem]) {
    self.bundle = bundle
    self.model = model
    self.problems = problems
  }

  /// A declared layer beside the tensor of the same place; either may be missing.
  struct Pair {
    let declared: Layer?
    let actual: TensorInfo?

    static func all(_ layers: [Layer], _ tensors: [TensorInfo]) -> [Pair] {
      (0..<max(layers.count, tensors.count)).map { index in
        Pair(
          declared: index < layers.count ? layers[index] : nil,
          actual: index < tensors.count ? tensors[index] : nil)
      }
    }
  }

  var inputs: [Pair] { Pair.all(description.inputs, model?.signature.inputs ?? []) }
  var outputs: [Pair] { Pair.all(description.outputs, model?.signature.outputs ?? []) }

  private var description: ModelDescription {
    bundle.description.inMode(bundle.description.firstMode)
  }
}
