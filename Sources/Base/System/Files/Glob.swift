/// Shell patterns that the shell has not expanded.
package enum Glob {
  /// Returns the paths that a pattern matches.
  package static func paths(matching pattern: String) -> [String] {
    var result = unsafe glob_t()
    defer { unsafe globfree(&result) }
    guard unsafe glob(pattern, 0, nil, &result) == 0 else { return [] }
    return unsafe (0..<Int(result.gl_pathc)).compactMap { index in
      unsafe result.gl_pathv[index].map { unsafe String(cString: $0) }
    }
  }
}
