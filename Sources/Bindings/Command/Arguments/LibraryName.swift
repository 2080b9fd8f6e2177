/// The names by which bundles of the library can be opened.
package enum LibraryName {
  /// Returns the path of the library's bundle with a name or id; the argument if it is a path, or if there is
  /// no such bundle.
  package static func path(for argument: String) -> String {
    BundleResolver.path(for: argument, .standard)
  }
}
