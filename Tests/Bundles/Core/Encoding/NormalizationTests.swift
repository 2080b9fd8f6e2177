import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct NormalizationTests {
  /// The usual mean and standard deviation of ImageNet.
  static let mean = ColorTriple(red: 0.485, green: 0.456, blue: 0.406)
  static let deviation = ColorTriple(red: 0.229, green: 0.224, blue: 0.225)

  /// Values of `(pixel / 255 − mean) / std`, computed in double precision.
  static let values: [(pixel: UInt8, colors: [Double])] = [
    (0, [-2.1179039301310043, -2.0357142857142856, -1.8044444444444445]),
    (127, [0.05693980649028179, 0.18767507002801115, 0.4090631808278866]),
    (255, [2.2489082969432315, 2.428571428571429, 2.64]),
  ]

  @Test(arguments: values)
  func `Mean and standard deviation apply to pixels scaled to 0 to 1`(
    pixel: UInt8, expected: [Double]
  ) {
    let code = Normalization.normalizing(mean: Self.mean, standardDeviation: Self.deviation)
    let values = ChannelNormalization.channels(of: code, in: .rgb).map { Double($0(pixel)) }
    #expect(isClose(values, to: expected, within: 1e-5))
  }

  @Test func `Denormalizing inverts normalizing for all pixels`() {
    let normalize = Normalization.normalizing(mean: Self.mean, standardDeviation: Self.deviation)
    let denormalize = Normalization.denormalizing(
      mean: Self.mean, standardDeviation: Self.deviation)
    let codes = ChannelNormalization.channels(of: normalize, in: .rgb)
    let inverses = ChannelNormalization.channels(of: denormalize, in: .rgb)
    for (code, inverse) in zip(codes, inverses) {
      for pixel in UInt8.min ... .max {
        #expect(UInt8(saturating: (code(pixel) + inverse.bias) * inverse.scale) == pixel)
      }
    }
  }

  @Test func `A mean applies to its color in any channel order`() {
    let code = Normalization.normalizing(mean: Self.mean, standardDeviation: Self.deviation)
    let rgb = ChannelNormalization.channels(of: code, in: .rgb)
    #expect(ChannelNormalization.channels(of: code, in: .bgr) == rgb.reversed())
    #expect(ChannelNormalization.channels(of: code, in: .gray) == [rgb[0]])
  }

  @Test func `A single number applies to all colors`() throws {
    let half = ColorTriple(repeating: 0.5)
    let fixture = try #require(
      DescriptionFixture.valid.first { $0.name == "mean-and-std-of-all-colors" })
    let description = try ModelDescription(json: try fixture.bytes())
    guard case .image(let layer) = description.inputs[0].kind else {
      Issue.record("not an image")
      return
    }
    #expect(layer.normalize == .normalizing(mean: half, standardDeviation: half))
  }
}
