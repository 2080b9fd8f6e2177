import Synchronization
import TensorIOCore
import TensorIOImage
import Testing

@testable import TensorIOBundle
@testable import TensorIOCommand

/// Decoding of the first images of a run while the model is loaded.
@Suite struct PredecodingTests {
  private let layer = ImageLayer(shape: [32, 32, 3], height: 32, width: 32, format: .rgb)
  private let options = OpeningOptions()

  @Test func `Every item is read once and keeps its position`() throws {
    let counts = (0..<5).map { _ in Count() }
    let pictures = try (1...5).map { try picture(width: 256 + $0) }
    let items = zip(pictures, counts).enumerated().map { index, pair in
      InputItem("\(index)") { () throws(ModelError) in
        pair.1.add()
        return .value(.bytes(pair.0))
      }
    }
    let ahead = InputItemList(items: items).predecodingFirst(for: layer, options)
    #expect(ahead.items.map(\.name) == items.map(\.name))
    for (item, bytes) in zip(ahead.items, pictures) {
      let image = try #require(try image(item.read(), bytes))
      #expect(image == (try ImageBuffer(decoding: bytes, decoding)))
    }
    #expect(counts.allSatisfy { $0.value == 1 })
  }

  @Test func `The decoding time is reported`() throws {
    let bytes = try picture(width: 1024)
    let item = InputItem("large") { .value(.bytes(bytes)) }
    let ahead = PredecodedImage(item, for: layer, options)
    #expect(try ahead.takeInput() == .value(.image(ImageBuffer(decoding: bytes, decoding))))
    #expect(ahead.decodingTime > .zero)
    #expect(item.decodingTime() == .zero)
  }

  @Test func `A decoded image is released after it is taken`() throws {
    let (count, bytes) = (Count(), try picture(width: 256))
    let item = InputItem("counted") { () throws(ModelError) in
      count.add()
      return .value(.bytes(bytes))
    }
    let ahead = PredecodedImage(item, for: layer, options)
    #expect(try ahead.takeInput() == ahead.takeInput())
    #expect(count.value == 2)
  }

  @Test func `An input that is not an image is passed to the model`() throws {
    let input = ModelInput.value(.bytes([1, 2, 3]))
    let ahead = PredecodedImage(InputItem("broken") { input }, for: layer, options)
    #expect(try ahead.takeInput() == input)
  }

  @Test func `An unreadable input fails when it is run`() {
    let missing = ModelError(.input, .cancelled)
    let item = InputItem("missing") { () throws(ModelError) in throw missing }
    let ahead = PredecodedImage(item, for: layer, options)
    #expect(throws: missing) { try ahead.takeInput() }
  }

  private var decoding: DecodingOptions {
    DecodingOptions(for: ImagePreparation(width: layer.width, height: layer.height))
  }

  private func picture(width: Int) throws -> [UInt8] {
    let pixels = (0..<width * 128 * 3).map { UInt8(truncatingIfNeeded: $0 / 5) }
    let image = try ImageBuffer(width: width, height: 128, format: .rgb, pixels: pixels)
    return try image.encoded(as: ImageEncoding.jpeg())
  }

  /// Returns the image of an input, decoding it if it was not decoded ahead.
  private func image(_ input: ModelInput, _ bytes: [UInt8]) throws -> ImageBuffer? {
    switch input {
    case .value(.image(let image)): image
    case .value(.bytes(bytes)): try ImageBuffer(decoding: bytes, decoding)
    default: nil
    }
  }
}

private final class Count: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}
