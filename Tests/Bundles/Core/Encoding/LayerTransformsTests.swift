import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// The conversions that layers declare, as an application calls them.
@Suite struct LayerTransformsTests {
  private func numeric(_ quantize: Quantization?, _ dequantize: Quantization?) -> NumericLayer {
    NumericLayer(shape: [1], elementType: .uint8, quantize: quantize, dequantize: dequantize)
  }

  @Test func `A declared quantization is called with numbers and bytes`() throws {
    let standard = numeric(.standard(.zeroToOne), .standard(.minusOneToOne))
    let quantizer = try #require(standard.quantizer)
    #expect([-1, 0, 0.5, 1, 2, .nan].map(quantizer) == [0, 0, 127, 255, 255, 0])
    let dequantizer = try #require(standard.dequantizer)
    #expect(dequantizer(0) == -1 && dequantizer(255) == 1)
    let affine = numeric(.affine(scale: 2, bias: 3), .affine(scale: 0.5, bias: 1))
    #expect(affine.quantizer?(4) == 14)
    #expect(affine.dequantizer?(4) == 3)
  }

  @Test func `The tensor's own quantization and none are no closures`() {
    for layer in [numeric(nil, nil), numeric(.model, .model)] {
      #expect(layer.quantizer == nil && layer.dequantizer == nil)
    }
  }

  @Test func `A normalization is called with a value and a color`() throws {
    let normalization = Normalization(
      scale: ColorTriple(red: 2, green: 3, blue: 4), bias: ColorTriple(red: 1, green: 0, blue: -1))
    let layer = ImageLayer(
      shape: [1, 1, 3], height: 1, width: 1, format: .bgr, normalize: normalization,
      denormalize: normalization)
    let normalizer = try #require(layer.normalizer)
    #expect([0, 1, 2].map { normalizer(10, $0) } == [21, 30, 39])
    let denormalizer = try #require(layer.denormalizer)
    #expect([0, 1, 2].map { denormalizer(10, $0) } == [22, 30, 36])
    #expect(denormalizer(1000, 0) == 255)
    let plain = ImageLayer(shape: [1, 1, 3], height: 1, width: 1, format: .rgb)
    #expect(plain.normalizer == nil && plain.denormalizer == nil)
  }

  @Test func `Layers are found by name, and an image layer prepares images`() throws {
    let bundle = try ModelBundle(
      at: ProjectFiles.path("Examples/Bundles/shape-detector.tiobundle"), trust: .unrestricted)
    let inputs = bundle.description.inputs
    #expect(inputs["picture of nothing"] == nil)
    let input = try #require(inputs.first)
    #expect(inputs[input.name] == input)
    guard case .image(let layer) = input.kind else {
      Issue.record("\(input)")
      return
    }
    let preparation = ImagePreparation(layer)
    #expect(preparation.width == layer.width && preparation.height == layer.height)
    #expect(preparation.fit == layer.fit && preparation.filter == layer.filter)
    let white = try ImageBuffer.filled(width: 9, height: 5, red: 255, green: 255, blue: 255)
    #expect(try preparation(white).image.width == layer.width)
  }
}
