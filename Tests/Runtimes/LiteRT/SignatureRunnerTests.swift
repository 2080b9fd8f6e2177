import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import Testing

import struct TensorIOLiteRT.Tensor

/// The parts of the interpreter's interface that concern signatures, delegates and versions.
@Suite struct SignatureRunnerTests {
  private func interpreter(_ name: String) throws -> Interpreter {
    try Interpreter(modelPath: TinyModel(name: name).path)
  }

  private func data(_ values: [Float]) -> Data {
    unsafe values.withUnsafeBytes { unsafe Data($0) }
  }

  @Test func `Each signature runs with the names of its tensors`() throws {
    let interpreter = try interpreter("several-signatures")
    #expect(interpreter.signatureKeys == ["add", "subtract"])
    for (key, expected) in [("add", [4, 5]), ("subtract", [2, 3])] as [(String, [Float])] {
      let runner = try interpreter.signatureRunner(with: key)
      #expect(runner.signatureKey == key)
      #expect(runner.inputs.count == 2 && runner.outputs.count == 1)
      try runner.invoke(with: [
        runner.inputs[0]: data([3, 4]), runner.inputs[1]: data([1, 1]),
      ])
      #expect(try runner.input(named: runner.inputs[0]).data == data([3, 4]))
      let output = try runner.output(named: runner.outputs[0])
      #expect(output.data == data(expected))
      #expect(output.shape == [2] && output.dataType == .float32)
    }
  }

  @Test func `A model without signatures has no keys`() throws {
    let interpreter = try interpreter("double-float32")
    #expect(interpreter.signatureKeys.isEmpty)
    #expect(throws: SignatureRunnerError.failedToCreateSignatureRunner(signatureKey: "main")) {
      try interpreter.signatureRunner(with: "main")
    }
  }

  @Test func `Errors of a signature runner name the tensor`() throws {
    let runner = try interpreter("several-signatures").signatureRunner(with: "add")
    #expect(
      throws: SignatureRunnerError.failedToGetTensor(
        tensorType: "output", nameInSignature: "missing")
    ) { try runner.output(named: "missing") }
    let short = SignatureRunnerError.invalidTensorDataCount(provided: 4, required: 8)
    #expect(throws: short) { try runner.copy(data([1]), toInputNamed: runner.inputs[0]) }
    #expect("\(short)" == "Provided data count 4 must match the required count 8.")
    let fixed = SignatureRunnerError.failedToResizeInputTensor(inputName: runner.inputs[0])
    #expect(throws: fixed) { try runner.resizeInput(named: runner.inputs[0], toShape: [8]) }
    #expect(throws: SignatureRunnerError.failedToResizeInputTensor(inputName: "missing")) {
      try runner.resizeInput(named: "missing", toShape: [2])
    }
  }

  @Test func `Options are compared by their values`() {
    var options = Interpreter.Options()
    #expect(options == Interpreter.Options() && !options.isXNNPackEnabled)
    options.errorHandler = { _ in }
    #expect(Set([options, Interpreter.Options()]).count == 1)
    options.isXNNPackEnabled = true
    #expect(options != Interpreter.Options())
  }

  @Test func `The version is that of the installed runtime`() {
    #expect(Runtime.version.split(separator: ".").count == 3)
  }

  @Test func `A delegate selects the hardware`() throws {
    let path = TinyModel(name: "double-float32").path
    let processor = try Interpreter(modelPath: path, delegates: [])
    #expect(processor.delegates?.isEmpty == true)
    do {
      let graphics = try Interpreter(modelPath: path, delegates: [GPUDelegate()])
      #expect(graphics.delegates?.map(\.accelerator) == [.gpu])
    } catch InterpreterError.failedToCreateInterpreter(let reason) {
      // The machine has no graphics processor.
      #expect(reason.contains("GPU"))
    }
  }

  @Test func `A file can import both types named Tensor`() throws {
    let interpreter = try interpreter("double-float32")
    try interpreter.allocateTensors()
    let low: InterpreterTensor = try interpreter.input(at: 0)
    let selected: Tensor = low
    #expect(selected == low)
    let high = TensorIOCore.Tensor([1] as [Float], shape: [1])
    #expect(low.shape == [4] && high.shape == [1])
  }
}
