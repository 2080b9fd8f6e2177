import Foundation
import TensorIO
import TensorIOTasks
import TensorIOTestSupport

/// Drawn images with their ground truth: a folder of `Examples/Data` with its `truth.json`.
struct DrawnImages {
  struct Image {
    let path: String
    let objects: [Object]
  }

  struct Object: Hashable {
    let label: String
    let box: BoundingBox
  }

  let folder: String
  private let truth: JSONTree

  init(_ name: String) throws {
    folder = ProjectFiles.path("Examples/Data/\(name)")
    truth = try JSONTree(contentsOf: "\(folder)/truth.json")
  }

  /// The images of a list in the ground truth.
  func images(_ list: String) -> [Image] {
    (truth[list]?.array ?? []).map { image in
      Image(
        path: "\(folder)/\(image["file"]?.string ?? "")",
        objects: (image["things"]?.array ?? []).compactMap(Object.init))
    }
  }

  /// The strings of a list in the ground truth.
  func names(_ list: String) -> [String] { truth[list]?.array?.compactMap(\.string) ?? [] }
}

extension DrawnImages.Object {
  init?(_ tree: JSONTree) {
    guard let label = tree["label"]?.string, let edges = tree["box"]?.array?.compactMap(\.number),
      edges.count == 4
    else { return nil }
    self.label = label
    box = BoundingBox(xmin: edges[0], ymin: edges[1], xmax: edges[2], ymax: edges[3])
  }
}

extension BoundingBox {
  /// A box in a record of the command line.
  init?(_ record: JSONTree?) {
    let edges = ["xmin", "ymin", "xmax", "ymax"].compactMap { record?[$0]?.number }
    guard edges.count == 4 else { return nil }
    self.init(xmin: edges[0], ymin: edges[1], xmax: edges[2], ymax: edges[3])
  }
}

/// The metrics in a bundle's card.
enum Card {
  /// The fraction in the table row that begins with the given words, such as 0.943.
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
