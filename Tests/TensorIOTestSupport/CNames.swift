// Names of the C libraries below TensorIO, for `ConsumerProbe` to use beside TensorIO: were one of
// them to be seen through TensorIO as well, it would be ambiguous, and the probe would not build.

public struct LiteRtEnvironment: Sendable {}
public struct LiteRtTensorBuffer: Sendable {}
public struct tjhandle: Sendable {}
public struct png_image: Sendable {}
public struct pixels_layout: Sendable {}
public struct cairo_t: Sendable {}
