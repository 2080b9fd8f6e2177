import COptionalLibraries
package import TensorIOSystem

/// The functions of expat, loaded at run time. The library stays open.
// Unchecked, but safe: the table is not modified after loading.
@safe package struct ExpatLibrary: @unchecked Sendable {
  let functions: UnsafePointer<CExpatTable>

  #if os(macOS)
    private static let names = ["libexpat.1.dylib"]
  #else
    private static let names = ["libexpat.so.1"]
  #endif

  /// Loads the library from a path, or from the first of its usual names that works.
  package init(path: String? = nil) throws(DynamicLibraryError) {
    unsafe functions = try DynamicLibrary.open(path, orFirstOf: Self.names, cexpat_open)
  }

  /// The system's library, loaded on first use.
  package static var standard: ExpatLibrary {
    get throws(DynamicLibraryError) { try opened.get() }
  }

  private static let opened = Result { () throws(DynamicLibraryError) in try ExpatLibrary() }

  /// The library's name and version, such as `expat 2.5.0`.
  package var version: String {
    let version = unsafe String(cString: functions.pointee.XML_ExpatVersion())
    return version.replacing("_", with: " ")
  }

  /// The command that installs the library.
  package static var installCommand: String {
    #if os(macOS)
      "brew install expat"
    #else
      "apt-get install libexpat1"
    #endif
  }
}
