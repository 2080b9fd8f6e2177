/// C strings that exist as long as the table, with an array of their addresses.
@safe final class CStringTable: @unchecked Sendable {  // immutable after initialization
  let pointers: [UnsafePointer<CChar>?]
  private let storage: UnsafeMutableBufferPointer<CChar>

  init(_ strings: [String]) {
    let characters = strings.map { Array($0.utf8CString) }
    let storage = UnsafeMutableBufferPointer<CChar>.allocate(
      capacity: max(1, characters.reduce(0) { $0 + $1.count }))
    unsafe storage.initialize(repeating: 0)
    var (pointers, offset): ([UnsafePointer<CChar>?], Int) = unsafe ([], 0)
    for string in characters {
      for (index, character) in string.enumerated() {
        unsafe storage[offset + index] = character
      }
      unsafe pointers.append(UnsafePointer(storage.baseAddress?.advanced(by: offset)))
      offset += string.count
    }
    unsafe self.pointers = pointers
    unsafe self.storage = storage
  }

  deinit {
    unsafe storage.deallocate()
  }
}
