// The code of seed 003, combined in one class. The lines that use TensorFlow Lite are unchanged.
// swift-format-ignore-file: the layout is unchanged, too.

import Foundation
import TensorIOLiteRT

final class StyleTransferModelDataHandler {
  let threadCount: Int
  let batchSize = 1
  let inputChannels = 3
  let inputWidth = 8
  let inputHeight = 8
  private(set) var image: UIImage?
  private(set) var results: [Float] = []

  private var interpreter: Interpreter

  // MARK: Initialization

  init?(modelFileInfo: FileInfo, labelsFileInfo: FileInfo, threadCount: Int = 1) {
    let modelFilename = modelFileInfo.name

    // Construct the path to the model file.
    guard
      let modelPath = Bundle.main.path(
        forResource: modelFilename,
        ofType: modelFileInfo.extension
      )
    else {
      print("Failed to load the model file with name: \(modelFilename).")
      return nil
    }

    // Specify the options for the `Interpreter`.
    self.threadCount = threadCount
    var options = InterpreterOptions()
    options.threadCount = threadCount
    options.isErrorLoggingEnabled = true
    do {
      // Create the `Interpreter`.
      interpreter = try Interpreter(modelPath: modelPath, options: options)
    } catch let error {
      print("Failed to create the interpreter with error: \(error.localizedDescription)")
      return nil
    }
  }

  // MARK: Process input

  private let alphaComponent = (baseOffset: 4, moduloRemainder: 3)
  private func rgbDataFromBuffer(
    _ buffer: CVPixelBuffer,
    byteCount: Int,
    isModelQuantized: Bool
  ) -> Data? {
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    guard let mutableRawPointer = unsafe CVPixelBufferGetBaseAddress(buffer) else {
      return nil
    }
    let count = CVPixelBufferGetDataSize(buffer)
    let bufferData = unsafe Data(bytesNoCopy: mutableRawPointer, count: count, deallocator: .none)
    var rgbBytes = [UInt8](repeating: 0, count: byteCount)
    var index = 0
    for component in bufferData.enumerated() {
      let offset = component.offset
      let isAlphaComponent = (offset % alphaComponent.baseOffset) == alphaComponent.moduloRemainder
      guard !isAlphaComponent else { continue }
      rgbBytes[index] = component.element
      index += 1
    }
    if isModelQuantized { return Data(rgbBytes) }
    return Data(copyingBufferOf: rgbBytes.map { Float($0) / 255.0 })
  }

  // MARK: Run inference

  func runModel(onFrame thumbnailPixelBuffer: CVPixelBuffer) {
    let outputTensor: Tensor
    do {
      // Allocate memory for the model's input `Tensor`s.
      try interpreter.allocateTensors()
      let inputTensor = try interpreter.input(at: 0)

      // Remove the alpha component from the image buffer to get the RGB data.
      guard
        let rgbData = rgbDataFromBuffer(
          thumbnailPixelBuffer,
          byteCount: batchSize * inputWidth * inputHeight * inputChannels,
          isModelQuantized: inputTensor.dataType == .uInt8
        )
      else {
        print("Failed to convert the image buffer to RGB data.")
        return
      }

      // Copy the RGB data to the input `Tensor`.
      try interpreter.copy(rgbData, toInputAt: 0)

      // Run inference by invoking the `Interpreter`.
      try interpreter.invoke()

      // Get the output `Tensor` to process the inference results.
      outputTensor = try interpreter.output(at: 0)
    } catch let error {
      print("Failed to invoke the interpreter with error: \(error.localizedDescription)")
      return
    }

    // MARK: Process results

    guard let quantization = outputTensor.quantizationParameters else {
      print("No results returned because the quantization values for the output tensor are nil.")
      return
    }

    // Get the quantized results from the output tensor's `data` property.
    let quantizedResults = [UInt8](outputTensor.data)

    // Dequantize the results using the quantization values.
    let results = quantizedResults.map {
      quantization.scale * Float(Int($0) - quantization.zeroPoint)
    }

    self.results = results
    let rgbData = results.map { UInt8(min(max($0 * 255, 0), 255)) }
    image = convertRGBToImage(rgbData: rgbData, width: inputWidth, height: inputHeight) ?? UIImage()
  }

  private func convertRGBToImage(rgbData: [UInt8], width: Int, height: Int) -> UIImage? {
    let componentsPerPixel = 3

    // Check that the parameters and rgb data are valid
    guard width > 0 && height > 0 else { return nil }
    guard rgbData.count == width * height * componentsPerPixel else { return nil }

    return UIImage(rgbData: rgbData, width: width, height: height)
  }
}
