package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// Map: a number for each pixel of an image, such as its depth.
package struct MapTask: TaskHandler {
  package static let format = TaskFormat("map", "depth", requiredOutputs: [.role(.map)]) {
    Field.size(MapOptions.Size.self).otherwise("`\"original\"`")
  }

  private let decoder: MapDecoder

  package init(_ source: OutputSource) throws(ModelError) {
    decoder = try MapDecoder(source)
  }

  package var replacedOutputs: Set<String> { [decoder.output] }

  package func result(of output: ModelOutput) throws(ModelError) -> TaskHandlerResult {
    let map = try decoder.decode(output)
    let geometry = output.imageGeometries.lazy.compactMap(\.self).first
    return .result(
      MapResult(
        map: map, imageWidth: geometry?.imageWidth ?? map.width,
        imageHeight: geometry?.imageHeight ?? map.height))
  }
}
