import TensorIO
import TensorIOTestSupport

/// Compiles only if no C name is visible through TensorIO: `TensorIOTestSupport/CNames.swift`
/// has the same names, and ambiguous names cannot be used.
private struct Leaks {
  let runtime: LiteRtEnvironment
  let buffer: LiteRtTensorBuffer
  let jpeg: tjhandle
  let png: png_image
  let kernels: pixels_layout
  let drawing: cairo_t
}
