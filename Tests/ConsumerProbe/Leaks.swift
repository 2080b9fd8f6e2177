import TensorIO
import TensorIOTestSupport

/// Builds only while no C name can be seen through TensorIO: `TensorIOTestSupport/CNames.swift`
/// has the same names, and a name that two modules have cannot be used.
private struct Leaks {
  let runtime: LiteRtEnvironment
  let buffer: LiteRtTensorBuffer
  let jpeg: tjhandle
  let png: png_image
  let kernels: pixels_layout
  let drawing: cairo_t
}
