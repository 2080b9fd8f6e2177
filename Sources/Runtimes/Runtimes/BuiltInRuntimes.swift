import TensorIOBundle
package import TensorIOCore
import TensorIOLiteRT

#if Everything
  import TensorIOONNX
  import TensorIOTensorFlow
#endif

/// The runtimes that TensorIO contains.
///
/// A new runtime is a target with a ``RuntimeDescriptor``, and an entry in this list. An application without the trait `Everything` has
/// LiteRT alone.
package enum BuiltInRuntimes {
  /// The runtimes, in the order in which they are listed and considered for a model.
  package static let all: [RuntimeDescriptor] = {
    #if Everything
      [.liteRT, .tensorFlow, .onnxRuntime]
    #else
      [.liteRT]
    #endif
  }()

  /// The runtime without which an installation is incomplete.
  package static var required: RuntimeDescriptor { all.first { $0.isRequired } ?? all[0] }

  /// The libraries that can be installed.
  package static var libraries: [RuntimeLibrarySpecification] { all.compactMap(\.library) }
}
