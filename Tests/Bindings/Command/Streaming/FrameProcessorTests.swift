import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCommand
@testable import TensorIOStreaming
@testable import TensorIOTasks

@Suite struct FrameProcessorTests {
  private static let description = """
    {"name": "Counter", "details": "", "id": "counter", "version": "1", "author": "",
     "license": "", "model": {"file": "m", "quantized": false, "backend": "tflite",
     "modes": ["predict"]},
     "inputs": [{"name": "picture", "type": "image", "shape": [2,2,3], "format": "RGB"},
                {"name": "before", "type": "array", "shape": [1]}],
     "outputs": [{"name": "count", "type": "array", "shape": [1]},
                 {"name": "after", "type": "array", "shape": [1]}],
     "state": [{"output": "after", "input": "before"}]}
    """

  /// A model that counts its runs in its state.
  private struct Counter: ModelRunner {
    func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
      guard case .named(let values) = input, values["picture"] != nil else {
        throw ModelError(.input, .missingFile("picture"))
      }
      let before = values["before"].flatMap { value -> Float? in
        guard case .numbers(let numbers) = value, case .floats(let floats) = numbers.elements else {
          return nil
        }
        return floats.first
      }
      let count = LayerValue.numbers(Numbers(.floats([(before ?? 0) + 1])))
      return ModelOutput(layers: [
        .init(name: "count", value: count), .init(name: "after", value: count),
      ])
    }
  }

  @Test func `The state of the model is passed from frame to frame`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.description, to: "counter.tiobundle/model.json")
    let bundle = try ModelBundle(at: folder.path + "/counter.tiobundle")
    let model = Model(bundle, runner: Counter())
    let console = Console(
      writeOutput: { _ in }, writeMessage: { _ in }, readInput: { _ in [] },
      isOutputTerminal: false,
      isMessageTerminal: false, environment: { _ in nil })
    let inputs = try StreamInputs([], placeholders: [], for: model, console)
    #expect(inputs.streamedInput == "picture")
    var processor = FrameProcessor(
      model, inputs, LabelSelection(), try TaskPostprocessor(model), annotated: nil)
    let image = try ImageBuffer.filled(width: 2, height: 2, red: 1, green: 2, blue: 3)
    var counts: [Float] = []
    for number in 0..<3 {
      let frame = VideoFrame(number: number, time: 0, image: .image(image))
      let output = try processor.process(frame).success.output
      #expect(output.names == ["count"])
      counts.append(try output.value(of: "count"))
    }
    #expect(counts == [1, 2, 3])
  }
}
