import CStudioPage

/// The files that are part of the program.
enum EmbeddedFiles {
  /// All of them, with their names.
  static let all: [(name: String, bytes: [UInt8])] = {
    var files: [(name: String, bytes: [UInt8])] = []
    while let file = unsafe CStudioPageFileAtIndex(files.count)?.pointee {
      let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.count)
      unsafe files.append((String(cString: file.name), Array(bytes)))
    }
    return files
  }()
}
