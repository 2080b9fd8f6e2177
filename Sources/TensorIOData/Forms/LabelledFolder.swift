internal import TensorIOCore
internal import TensorIOSystem

/// A folder of pictures per label: `DATA/<label>/*.png`.
///
/// Both labels and pictures come in byte order of their names. What is hidden is ignored.
struct LabelledFolder: DataForm {
  static let files = "a folder with a folder of pictures per label"
  /// The endings by which pictures are told from other files.
  static let endings: Set<String> = [
    "png", "jpg", "jpeg", "webp", "bmp", "ppm", "pgm", "pnm",
  ]

  private struct Example {
    let folder: String
    let name: String
    let label: Int
  }

  let labels: [String]
  private let path: String
  private let picture: DataColumn
  private let label: DataColumn
  private var examples: [Example] = []

  static func reads(_ path: String, _ kind: FileKind) -> Bool { kind == .folder }

  init(at path: String, for wanted: WantedData, _ log: inout DataLog) throws(ModelError) {
    (picture, label) = try wanted.pictureAndLabel()
    self.path = path
    let entries = try DataPath.names(in: path)
    let folders = entries.filter { FileKind(at: "\(path)/\($0)") == .folder }
    labels = label.labels.isEmpty ? folders : label.labels
    for name in entries where !folders.contains(name) { Self.noteStray(name, &log) }
    for folder in folders { try addExamples(of: folder, &log) }
  }

  private mutating func addExamples(of folder: String, _ log: inout DataLog) throws(ModelError) {
    guard let index = labels.firstIndex(of: folder) else {
      return log.add(.unknownLabel(folder, among: labels), path: folder)
    }
    for name in try DataPath.names(in: "\(path)/\(folder)") {
      let place = "\(folder)/\(name)"
      guard Self.isPicture(name), FileKind(at: "\(path)/\(place)") != .folder else {
        log.add(.strayFile, path: place)
        continue
      }
      if !log.isFull, let fault = PictureCheck.fault(of: "\(path)/\(place)") {
        log.add(fault, path: place)
      }
      examples.append(Example(folder: folder, name: name, label: index))
    }
  }

  private static func noteStray(_ name: String, _ log: inout DataLog) {
    log.add(isPicture(name) ? .unlabelledPicture : .strayFile, path: name)
  }

  private static func isPicture(_ name: String) -> Bool { name.hasEnding(endings) }

  var count: Int { examples.count }

  func name(at index: Int) -> String { "\(examples[index].folder)/\(examples[index].name)" }

  func value(at index: Int, where isWanted: (DataColumn) -> Bool) -> DataValue? {
    if isWanted(picture) { return .picture("\(path)/\(name(at: index))") }
    guard isWanted(label) else { return nil }
    return .value(label.value(ofLabel: examples[index].label, of: labels.count))
  }

  func item(at index: Int) throws(ModelError) -> [String: LayerValue] {
    [
      picture.layer.name: try DataValue.picture("\(path)/\(name(at: index))").load(),
      label.layer.name: label.value(ofLabel: examples[index].label, of: labels.count),
    ]
  }
}
