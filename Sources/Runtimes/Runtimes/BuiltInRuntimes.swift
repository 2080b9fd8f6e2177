import TensorIOBundle
package import TensorIOCore

#if LiteRT
  import TensorIOLiteRT
#endif
#if TensorFlow
  import TensorIOTensorFlow
#endif
#if ONNX
  import TensorIOONNX
#endif

/// The runtimes that TensorIO contains.
///
/// A new runtime is a target with a ``RuntimeDescriptor``, and an entry in this list. An application leaves one out by disabling its
/// trait.
package enum BuiltInRuntimes {
  /// The runtimes, in the order in which they are listed and considered for a model.
  package static let all: [RuntimeDescriptor] = {
    var all: [RuntimeDescriptor] = []
    #if LiteRT
      all.append(.liteRT)
    #endif
    #if TensorFlow
      all.append(.tensorFlow)
    #endif
    #if ONNX
      all.append(.onnxRuntime)
    #endif
    return all
  }()

  /// The runtime without which an installation is incomplete.
  package static var required: RuntimeDescriptor { all.first { $0.isRequired } ?? all[0] }

  /// The libraries that can be installed.
  package static var libraries: [RuntimeLibrarySpecification] { all.compactMap(\.library) }
}
