internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOSystem

extension DataExport {
  /// Copies all pictures into the folder `images` of a folder; returns their places in it.
  func copyPictures(to folder: String) throws(ModelError) -> [String] {
    try FileWriting.at(folder) { () throws(FileFault) in try Folder.make("\(folder)/images") }
    var names = SafeName()
    var places: [String] = []
    for record in records {
      let place = "images/\(names.next(for: record.picture))"
      try copy(record.picture, to: "\(folder)/\(place)")
      places.append(place)
    }
    return places
  }

  /// Copies all pictures into a folder per label.
  func copyPerLabel(to folder: String) throws(ModelError) {
    var names: [Int: SafeName] = [:]
    for record in records {
      let label = record.labels[0]
      let place = "\(folder)/\(labels[label])"
      if names[label] == nil {
        try FileWriting.at(place) { () throws(FileFault) in try Folder.make(place) }
      }
      let name = names[label, default: SafeName()].next(for: record.picture)
      try copy(record.picture, to: "\(place)/\(name)")
    }
  }

  private func copy(_ picture: String, to target: String) throws(ModelError) {
    let bytes = try FileBytes.read(picture, limit: ImageLimits.fileBytes, stage: .input)
    try FileWriting.at(target) { () throws(FileFault) in
      try CompleteFile.write(bytes, to: target)
    }
  }

  /// The size of a record's picture.
  func size(of record: DataRecord) throws(ModelError) -> PictureSize {
    do throws(DataFault) {
      return try PictureCheck.header(of: record.picture).uprightSize
    } catch {
      throw ModelError(.input, .invalidData([error.at(path: record.picture)]))
    }
  }
}

extension DataPath {
  /// What a file in a folder calls another: its place there, else its whole path.
  static func name(of path: String, from folder: String) -> String {
    guard let folder = FilePath.resolved(folder), let whole = FilePath.resolved(path) else {
      return path
    }
    let start = folder == "/" ? folder : folder + "/"
    return whole.hasPrefix(start) ? String(whole.dropFirst(start.count)) : whole
  }
}
