import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOImage

/// An image warped by Pillow and standardized by NumPy.
struct WarpCase: Decodable, CustomTestStringConvertible {
  let source: String
  let map: [Double]
  let width: Int
  let height: Int
  let warped: String
  let whitened: [Float]

  var testDescription: String { "\(source) \(map)" }

  static let folder = "Tests/Fixtures/Warps"
  static let all =
    (try? JSONDecoder().decode(
      [WarpCase].self,
      from: Data(contentsOf: URL(filePath: ProjectFiles.path("\(folder)/warps.json")))))
    ?? []

  var affine: AffineMap {
    AffineMap(a: map[0], b: map[1], c: map[2], d: map[3], tx: map[4], ty: map[5])
  }

  func expected() throws -> ImageBuffer {
    try ImageBuffer(contentsOf: ProjectFiles.path("\(Self.folder)/\(warped)"))
  }
}

@Suite struct WarpingTests {
  @Test func `The list of cases is complete`() {
    #expect(WarpCase.all.count == 6)
  }

  @Test(arguments: WarpCase.all)
  func `Warping gives the same pixels as Pillow`(example: WarpCase) throws {
    let path = ProjectFiles.path("Tests/Fixtures/Images/Sources/\(example.source)")
    let image = try ImageBuffer(contentsOf: path).converted(to: .rgb)
    let warped = try image.warped(
      by: example.affine, width: example.width, height: example.height)
    let expected = try example.expected().pixels
    let differences = zip(warped.pixels, expected).map { abs(Int($0) - Int($1)) }
    #expect(warped.pixels.count == expected.count)
    #expect(differences.max() ?? 0 <= 1)
  }

  @Test(arguments: WarpCase.all)
  func `Standardization gives the same values as NumPy`(example: WarpCase) throws {
    let numbers = try example.expected().whitened()
    let step = numbers.count / 24
    for (index, expected) in example.whitened.enumerated() {
      #expect(isClose(Double(numbers[index * step]), to: Double(expected), within: 1e-4))
    }
  }

  @Test func `An image of one color becomes zeros`() throws {
    let gray = try ImageBuffer.filled(width: 3, height: 2, red: 7, green: 7, blue: 7)
    #expect(gray.whitened() == Array(repeating: 0, count: 18))
  }

  @Test func `Two points are mapped exactly to their targets`() throws {
    let eyes = [AffineMap.Point(x: 40, y: 60), .init(x: 90, y: 40)]
    let targets = [AffineMap.Point(x: 38, y: 51), .init(x: 73, y: 51)]
    let map = try #require(AffineMap.similarity(from: eyes, to: targets))
    for (eye, target) in zip(eyes, targets) {
      let mapped = map.apply(eye.x, eye.y)
      #expect(isClose(mapped.x, to: target.x, within: 1e-9))
      #expect(isClose(mapped.y, to: target.y, within: 1e-9))
    }
    #expect(map.a == map.d && map.b == -map.c)
  }

  @Test func `More than two points are mapped with the least squared error`() throws {
    var random = SeededGenerator(seed: 4)
    let source = (0..<5).map { _ in point(&random) }, target = (0..<5).map { _ in point(&random) }
    let best = try #require(AffineMap.similarity(from: source, to: target))
    let minError = squaredError(best, source, target)
    for _ in 0..<200 {
      var other = best
      other.tx += Double.random(in: -1...1, using: &random)
      other.ty += Double.random(in: -1...1, using: &random)
      let (a, b) = (
        Double.random(in: -0.1...0.1, using: &random), Double.random(in: -0.1...0.1, using: &random)
      )
      (other.a, other.d) = (best.a + a, best.d + a)
      (other.b, other.c) = (best.b + b, best.c - b)
      #expect(squaredError(other, source, target) >= minError)
    }
  }

  @Test func `Coinciding points, or too few, have no map`() {
    let one = AffineMap.Point(x: 1, y: 2)
    #expect(AffineMap.similarity(from: [one], to: [one]) == nil)
    #expect(AffineMap.similarity(from: [one, one], to: [one, .init(x: 3, y: 4)]) == nil)
    #expect(AffineMap.similarity(from: [one, .init(x: 3, y: 4)], to: [one]) == nil)
  }

  @Test func `A singular map is rejected`() throws {
    let image = try ImageBuffer.filled(width: 3, height: 2, red: 7, green: 7, blue: 7)
    let singular = AffineMap(a: 1, b: 1, c: 1, d: 1, tx: 0, ty: 0)
    #expect(throws: ImageError.self) { try image.warped(by: singular, width: 4, height: 4) }
  }

  private func point(_ random: inout SeededGenerator) -> AffineMap.Point {
    .init(x: .random(in: 0...100, using: &random), y: .random(in: 0...100, using: &random))
  }

  private func squaredError(
    _ map: AffineMap, _ source: [AffineMap.Point], _ target: [AffineMap.Point]
  ) -> Double {
    zip(source, target).reduce(0) { sum, pair in
      let mapped = map.apply(pair.0.x, pair.0.y)
      let (x, y) = (mapped.x - pair.1.x, mapped.y - pair.1.y)
      return sum + x * x + y * y
    }
  }
}
