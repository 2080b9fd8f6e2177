internal import TensorIOData
internal import TensorIOSystem

/// Data by which models can be judged without bringing any.
package struct OfferedData: Sendable {
  /// What it is called.
  package let name: String
  /// Where it lies; nobody who asks is told.
  package let path: String
  /// How many pictures it has; `nil` where it is no folder of pictures.
  package let count: Int?

  /// Data at some places, each under the last part of its path, or that and a number.
  package static func all(at paths: [String]) -> [OfferedData] {
    var data: [OfferedData] = []
    for path in paths {
      let last = path.split(separator: "/").last.map(String.init) ?? path
      let names = data.map(\.name)
      let name = ([last] + (2...paths.count + 1).map { "\(last)-\($0)" })
        .first { !names.contains($0) }
      data.append(OfferedData(name: name ?? path, path: path, count: pictures(in: path, depth: 3)))
    }
    return data
  }

  /// The pictures in a folder and the folders in it.
  private static func pictures(in folder: String, depth: Int) -> Int? {
    guard depth > 0, let names = try? Folder.names(in: folder) else { return nil }
    let count = names.filter { !$0.hasPrefix(".") }.reduce(0) { count, name in
      count
        + (PictureName.isOne(name) ? 1 : pictures(in: "\(folder)/\(name)", depth: depth - 1) ?? 0)
    }
    return count == 0 ? nil : count
  }
}
