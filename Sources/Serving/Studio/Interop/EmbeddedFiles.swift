import CStudioPage

/// The page's files, which are embedded in the program.
enum EmbeddedFiles {
  /// All files, with their names.
  static let all: [(name: String, bytes: [UInt8])] = {
    var files: [(name: String, bytes: [UInt8])] = []
    while let file = unsafe CStudioPageFileAtIndex(files.count)?.pointee {
      let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.count)
      unsafe files.append((String(cString: file.name), Array(bytes)))
    }
    return files
  }()
}
