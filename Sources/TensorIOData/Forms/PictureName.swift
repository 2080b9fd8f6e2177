/// The names of files that data takes for pictures.
package enum PictureName {
  /// Whether a file of this name is one.
  package static func isOne(_ name: String) -> Bool { name.hasEnding(LabelledFolder.endings) }
}
