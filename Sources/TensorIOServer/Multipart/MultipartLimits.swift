/// What a form may be.
package enum MultipartLimits {
  /// The parts of a form.
  package static let parts = 256
  /// The bytes of the lines before a part's content.
  package static let headBytes = 4 << 10
  /// The lines before a part's content.
  package static let fields = 16
  /// The bytes of the name of a part, or of its file.
  package static let nameBytes = 512
  /// The bytes of a boundary, which a standard limits.
  package static let boundaryBytes = 70
}
