import Foundation
import TensorIOTestSupport

/// The steps between the networks that read text, computed by OpenCV and Clipper.
struct ReadingGeometry: Decodable {
  struct Offset: Decodable {
    let box: [[Double]]
    let distance: Double
    let clipper: [[Double]]
    let minimalRectangle: [[Double]]
    let shortSide: Double
  }

  struct Picture: Decodable {
    let height: Int
    let width: Int
    let blue: [[UInt8]]
  }

  struct Crop: Decodable {
    let box: [[Double]]
    let size: [Int]
    let blueRow0: [UInt8]
    let blueSum: Int?
  }

  struct Sizes: Decodable {
    let imageHW: [Int]
    let fitted: [Int]
    let paddingEach: Int
    let detectorMin736: [Int]
    let detectorMax960: [Int]
  }

  struct Resize: Decodable {
    let to: [Int]
    let blueRow0: [UInt8]
    let blueLastRow: [UInt8]?
  }

  struct Box: Decodable {
    let box: [[Double]]
    let score: Double
  }

  struct Map: Decodable {
    let width: Int
    let height: Int
    let values: [UInt8]
    let boxes: [Box]
  }

  let offsetAndMinimalRectangle: [Offset]
  let image: Picture
  let crops: [Crop]
  let sizes: [Sizes]
  let resizes: [Resize]
  let map: Map?

  private enum CodingKeys: String, CodingKey {
    case offsetAndMinimalRectangle, image, crops, sizes, resizes, map
    case cropsBlueChannel, linearResizeBlueChannel
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    offsetAndMinimalRectangle = try values.decode([Offset].self, forKey: .offsetAndMinimalRectangle)
    image = try values.decode(Picture.self, forKey: .image)
    // The shared file has other names.
    crops =
      try values.decodeIfPresent([Crop].self, forKey: .crops)
      ?? values.decode([Crop].self, forKey: .cropsBlueChannel)
    sizes = try values.decode([Sizes].self, forKey: .sizes)
    resizes =
      try values.decodeIfPresent([Resize].self, forKey: .resizes)
      ?? values.decode([Resize].self, forKey: .linearResizeBlueChannel)
    map = try values.decodeIfPresent(Map.self, forKey: .map)
  }

  /// The committed file, and the one beside the project if there is one.
  static let all: [(name: String, geometry: ReadingGeometry)] = {
    let shared = SharedFixtures.folder.map { "\($0)/models/ocr/geometry.json" }
    let paths = [ProjectFiles.path("Tests/Fixtures/Reading/geometry.json"), shared]
    return paths.compactMap { path in
      guard let path, FileManager.default.fileExists(atPath: path),
        let data = try? Data(contentsOf: URL(filePath: path))
      else { return nil }
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .custom { keys in Key(snake: keys.last?.stringValue ?? "") }
      return (try? decoder.decode(ReadingGeometry.self, from: data)).map { (path, $0) }
    }
  }()

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(snake: String) {
      let words = snake.split(separator: "_").map(String.init)
      let rest = words.dropFirst().map {
        ["h", "w"].contains($0) ? $0.uppercased() : $0.capitalized
      }
      stringValue = (words.prefix(1) + rest).joined()
    }

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }
}
