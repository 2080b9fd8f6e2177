import Foundation
import Synchronization
import TensorIOLiteRT
import Testing

@Suite struct InterpreterTests {
  func interpreter(_ name: String, options: Interpreter.Options? = nil) throws -> Interpreter {
    try Interpreter(modelPath: TinyModel(name: name).path, options: options)
  }

  func data(_ values: [Float]) -> Data {
    unsafe values.withUnsafeBytes { unsafe Data($0) }
  }

  @Test func `Data copied to an input is processed into the output`() throws {
    let interpreter = try interpreter("double-float32")
    #expect(interpreter.inputTensorCount == 1)
    #expect(interpreter.outputTensorCount == 1)
    try interpreter.allocateTensors()
    let input = try interpreter.copy(data([1, 2, 3, 4]), toInputAt: 0)
    #expect(try interpreter.input(at: 0) == input)
    try interpreter.invoke()
    let output = try interpreter.output(at: 0)
    #expect(output.data == data([2, 4, 6, 8]))
    #expect(output.name == "y")
    #expect(output.dataType == .float32)
    #expect(output.shape == [4])
    #expect(output.shape.rank == 1)
    #expect(output.shape.dimensions == [4])
    #expect(output.quantizationParameters == nil)
  }

  @Test func `A quantized tensor reports its parameters`() throws {
    let interpreter = try interpreter("double-uint8")
    try interpreter.allocateTensors()
    let input = try interpreter.input(at: 0)
    #expect(input.dataType == .uInt8)
    #expect(input.quantizationParameters?.scale == 0.5)
    #expect(input.quantizationParameters?.zeroPoint == 10)
  }

  @Test func `Tensors must be reallocated after a resize`() throws {
    let interpreter = try interpreter("dynamic-batch")
    try interpreter.allocateTensors()
    try interpreter.resizeInput(at: 0, to: [2, 4])
    #expect(throws: InterpreterError.allocateTensorsRequired) { try interpreter.invoke() }
    try interpreter.allocateTensors()
    try interpreter.copy(data([1, 2, 3, 4, 5, 6, 7, 8]), toInputAt: 0)
    try interpreter.allocateTensors()  // has no effect
    try interpreter.invoke()
    let output = try interpreter.output(at: 0)
    #expect(output.shape == Tensor.Shape(2, 4))
    #expect(output.data == data([2, 4, 6, 8, 10, 12, 14, 16]))
  }

  @Test func `A fixed shape cannot be resized`() throws {
    let interpreter = try interpreter("double-float32")
    #expect(throws: InterpreterError.failedToResizeInputTensor(index: 0)) {
      try interpreter.resizeInput(at: 0, to: [8])
    }
    try interpreter.allocateTensors()
    try interpreter.invoke()
  }

  @Test func `A wrong byte count is reported with both counts, and nothing is written`() throws {
    let interpreter = try interpreter("double-float32")
    try interpreter.allocateTensors()
    try interpreter.copy(data([1, 2, 3, 4]), toInputAt: 0)
    let error = InterpreterError.invalidTensorDataCount(provided: 12, required: 16)
    #expect(throws: error) { try interpreter.copy(data([9, 9, 9]), toInputAt: 0) }
    #expect(
      error.localizedDescription == "Provided data count 12 must match the required count 16.")
    #expect(try interpreter.input(at: 0).data == data([1, 2, 3, 4]))
  }

  @Test func `An index out of range is reported with the maximum index`() throws {
    let interpreter = try interpreter("double-float32")
    try interpreter.allocateTensors()
    let error = InterpreterError.invalidTensorIndex(index: 1, maxIndex: 0)
    #expect(throws: error) { try interpreter.input(at: 1) }
    #expect(throws: error) { try interpreter.output(at: 1) }
    #expect(throws: error) { try interpreter.copy(Data(), toInputAt: 1) }
    #expect(throws: error) { try interpreter.resizeInput(at: 1, to: [1]) }
    #expect(throws: InterpreterError.invalidTensorIndex(index: -1, maxIndex: 0)) {
      try interpreter.input(at: -1)
    }
  }

  @Test func `Tensors cannot be used before they are allocated`() throws {
    let interpreter = try interpreter("double-float32")
    let error = InterpreterError.allocateTensorsRequired
    #expect(throws: error) { try interpreter.input(at: 0) }
    #expect(throws: error) { try interpreter.output(at: 0) }
    #expect(throws: error) { try interpreter.invoke() }
    #expect(throws: error) { try interpreter.copy(data([1, 2, 3, 4]), toInputAt: 0) }
  }

  @Test func `A missing model file is named in the error's description`() throws {
    let error = try #require(throws: InterpreterError.self) {
      try Interpreter(modelPath: "/nowhere/model.tflite")
    }
    #expect(error.localizedDescription.hasPrefix("Failed to load the model: "))
    #expect(error.localizedDescription.contains("model.tflite"))
  }

  @Test(arguments: [true, false])
  func `Errors are logged only if logging is enabled`(_ isEnabled: Bool) throws {
    let lines = LogLines()
    var options = InterpreterOptions()
    options.isErrorLoggingEnabled = isEnabled
    options.threadCount = 2
    options.errorHandler = { line in lines.append(line) }
    let interpreter = try interpreter("removed-operator", options: options)
    #expect(throws: InterpreterError.self) { try interpreter.allocateTensors() }
    #expect(lines.all.count == (isEnabled ? 1 : 0))
    #expect(lines.all.allSatisfy { $0.contains("ADD, version 1000") })
  }
}

private final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func append(_ line: String) { lines.withLock { $0.append(line) } }
}
