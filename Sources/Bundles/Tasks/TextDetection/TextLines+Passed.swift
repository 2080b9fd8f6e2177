import TensorIOBundle
import TensorIOCore
import TensorIOImage

extension TextLines: PassedResult {
  static func declaration(
    for model: ModelInfo
  ) throws(ModelError) -> (outputs: [Layer], task: TaskDescription) {
    var task = TaskDescription(type: TextDetectionTask.format.names[0])
    if let own = model.task, TextDetectionTask.format.names.contains(own.type) { task = own }
    var outputs = outputs([(.boxes, [1, nil, 4, 2]), (.scores, [1, nil])])
    outputs.append(
      Layer(
        name: OutputRole.texts.name,
        kind: .array(NumericLayer(shape: TensorShape([1, nil]), elementType: .string)),
        role: .texts))
    return (outputs, task)
  }

  func layers(_ outputs: [Layer], for task: TaskDescription) -> [ModelOutput.Layer] {
    outputs.map { layer in
      layer.role == .texts
        ? .init(name: layer.name, value: .strings(Strings(map { $0.text ?? "" })))
        : .init(
          name: layer.name, value: .numbers(numbers(of: layer.role ?? .scores, for: task)))
    }
  }

  func numbers(of role: OutputRole, for task: TaskDescription) -> Numbers {
    guard role == .boxes else { return Numbers(.floats(map(\.score)), shape: [1, count]) }
    return Numbers(
      .floats(flatMap { $0.corners.flatMap { [Float($0.x), Float($0.y)] } }),
      shape: [1, count, 4, 2])
  }
}
