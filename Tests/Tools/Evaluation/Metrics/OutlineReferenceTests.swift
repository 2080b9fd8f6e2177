import Foundation
import TensorIOBundle
import TensorIOTestSupport
import Testing

@testable import TensorIOData

/// A segmentation: polygons, or compressed run lengths with the size of the image.
private enum Segmentation: Decodable {
  case polygons([[Double]])
  case runs(Runs)

  struct Runs: Decodable {
    let size: [Int]
    let counts: String
  }

  init(from decoder: any Decoder) throws {
    if let polygons = try? [[Double]](from: decoder) {
      self = .polygons(polygons)
    } else {
      self = .runs(try Runs(from: decoder))
    }
  }
}

private struct OutlineCase: Decodable {
  let width, height: Int
  let segmentation: Segmentation
  /// The pixels at which runs start, row by row, and the end of the image; the first run is inside.
  let starts: [Int]
}

/// The pixels of annotated objects agree with pycocotools.
@Suite struct OutlineReferenceTests {
  @Test(arguments: Reference.files(of: "outlines"))
  func `The pixels of annotated objects match pycocotools`(file: Reference) throws {
    for example in try file.cases(OutlineCase.self) {
      let outline: AnnotatedOutline
      switch example.segmentation {
      case .polygons(let polygons): outline = .polygons(polygons)
      case .runs(let runs):
        let lengths = try #require(AnnotatedOutline.lengths(compressed: runs.counts))
        outline = try #require(
          AnnotatedOutline(lengths: lengths, height: runs.size[0], width: runs.size[1]))
      }
      let pixels = outline.pixels(width: example.width, height: example.height)
      var starts: [Int] = []
      for (index, pixel) in pixels.enumerated() where pixel != (index > 0 && pixels[index - 1]) {
        starts.append(index)
      }
      starts.append(pixels.count)
      #expect(starts == example.starts)
    }
  }

  @Test(arguments: [
    #"[[1, 2, 3]]"#, #"[[1, 2, 3, 4, 5, 6, 7]]"#, #"[[1, 2, 1e9, 4, 5, 6]]"#, #"["a"]"#,
    #"{"size": [2, 2], "counts": [1, 2]}"#, #"{"size": [2, 2], "counts": [-1, 5]}"#,
    #"{"size": [2], "counts": [4]}"#, #"{"size": [4294967296, 4294967296], "counts": [4]}"#,
    #"{"size": [2, 2], "counts": "~"}"#, #"{"size": [2, 2], "counts": "oooooooooooooo"}"#,
  ])
  func `A malformed segmentation is ignored with a warning`(segmentation: String) throws {
    let folder = try TemporaryFolder()
    try folder.draw("a.png", gray: 9)
    let path = try folder.write(
      """
      {"images": [{"id": 1, "file_name": "a.png"}], "categories": [{"id": 1, "name": "cat"}],
       "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4],
                        "segmentation": \(segmentation)}]}
      """, to: "instances.json")
    let data = try DetectionDataset(at: path)
    #expect(data.errors.isEmpty && data.warnings.map(\.code) == ["invalid-segmentation"])
    #expect(try data.boxes(at: 0).map(\.outline) == [nil] && !data.hasOutlines)
  }
}
