internal import CPixelKernels

/// What the processor offers to pixels.
package enum PixelSupport {
  /// The features that are put to use, by their usual names.
  package static var features: [String] {
    pixels_uses_avx2() != 0 ? ["avx2"] : []
  }
}
