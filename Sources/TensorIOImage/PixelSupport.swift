internal import CPixelKernels

/// What the processor offers to pixels.
package enum PixelSupport {
  /// The features that are put to use, by their usual names.
  package static var features: [String] {
    switch pixels_fastest_form() {
    case PIXELS_AVX512: ["avx2", "avx512vnni"]
    case PIXELS_AVX2: ["avx2"]
    default: []
    }
  }
}
