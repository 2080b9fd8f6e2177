import Foundation
import TensorIO
import TensorIOTasks
import TensorIOTestSupport

/// Pictures that were drawn, and what they show: a folder of `Examples/Data` with its `truth.json`.
struct DrawnPictures {
  struct Picture {
    let path: String
    let things: [Thing]
  }

  struct Thing: Hashable {
    let label: String
    let box: BoundingBox
  }

  let folder: String
  private let truth: JSONTree

  init(_ name: String) throws {
    folder = ProjectFiles.path("Examples/Data/\(name)")
    truth = try JSONTree(contentsOf: "\(folder)/truth.json")
  }

  /// The pictures of a list of the truth.
  func pictures(_ list: String) -> [Picture] {
    (truth[list]?.array ?? []).map { picture in
      Picture(
        path: "\(folder)/\(picture["file"]?.string ?? "")",
        things: (picture["things"]?.array ?? []).compactMap(Thing.init))
    }
  }

  /// The texts of a list of the truth.
  func names(_ list: String) -> [String] { truth[list]?.array?.compactMap(\.string) ?? [] }
}

extension DrawnPictures.Thing {
  init?(_ tree: JSONTree) {
    guard let label = tree["label"]?.string, let edges = tree["box"]?.array?.compactMap(\.number),
      edges.count == 4
    else { return nil }
    self.label = label
    box = BoundingBox(xmin: edges[0], ymin: edges[1], xmax: edges[2], ymax: edges[3])
  }
}

extension BoundingBox {
  /// A box as a record of the command has it.
  init?(_ record: JSONTree?) {
    let edges = ["xmin", "ymin", "xmax", "ymax"].compactMap { record?[$0]?.number }
    guard edges.count == 4 else { return nil }
    self.init(xmin: edges[0], ymin: edges[1], xmax: edges[2], ymax: edges[3])
  }
}

/// What a bundle's card says was measured.
enum Card {
  /// The share in the row of a table that begins with some words, such as 0.943.
  static func share(_ row: String, of bundle: String) throws -> Double {
    let card = try String(
      contentsOfFile: ProjectFiles.path("Examples/Bundles/\(bundle)/CARD.md"), encoding: .utf8)
    let line = card.split(separator: "\n").first { $0.hasPrefix("| \(row)") }
    let match = (line ?? "").firstMatch(of: #/(?<percent>[0-9.]+)%/#)
    guard let percent = match.flatMap({ Double($0.percent) }) else { throw Missing(row: row) }
    return percent / 100
  }

  struct Missing: Error { let row: String }
}
