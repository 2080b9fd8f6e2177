// The names of C types that TensorIO uses internally. `ConsumerProbe` imports them together with
// TensorIO: if TensorIO exposed one of the C types, the name would be ambiguous and the probe would
// not compile.

public struct LiteRtEnvironment: Sendable {}
public struct LiteRtTensorBuffer: Sendable {}
public struct tjhandle: Sendable {}
public struct png_image: Sendable {}
public struct pixels_layout: Sendable {}
public struct cairo_t: Sendable {}
