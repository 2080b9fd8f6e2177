/// Lists of texts as C takes them.
enum CTexts {
  /// Lends texts as pointers, with none behind the last.
  static func with<Value>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
  ) -> Value {
    // One block of memory holds them all, so that no text moves while another is made.
    let characters = texts.map { Array($0.utf8CString) }
    let joined = characters.flatMap(\.self)
    return unsafe joined.withUnsafeBufferPointer { memory in
      var place = 0
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      for text in characters {
        unsafe pointers.append(memory.baseAddress?.advanced(by: place))
        place += text.count
      }
      unsafe pointers.append(nil)
      return unsafe body(pointers)
    }
  }
}
