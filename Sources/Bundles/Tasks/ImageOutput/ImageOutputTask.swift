package import TensorIOBundle
package import TensorIOCore

/// Image: an image that the model computes from an image.
package struct ImageOutputTask: TaskHandler {
  package static let format = TaskFormat(
    "style", "image",
    requiredOutputs: [
      TaskFormat.OutputRequirement("an output of the type \"image\"") { outputs in
        outputs.contains(where: \.isImage)
      }
    ]
  ) {
    Field.size(ImageOutputOptions.Size.self).otherwise("`\"model\"`")
  }

  private let decoder: ImageOutputDecoder

  package init(_ source: OutputSource) throws(ModelError) {
    decoder = try ImageOutputDecoder(source)
  }

  package func result(of output: ModelOutput) throws(ModelError) -> TaskHandlerResult {
    .value(
      key: decoder.output, .image(try decoder.decode(output)), replacing: decoder.output)
  }
}
