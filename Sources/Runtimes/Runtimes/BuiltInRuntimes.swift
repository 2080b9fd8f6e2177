import TensorIOBundle
package import TensorIOCore
import TensorIOLiteRT
import TensorIOONNX
import TensorIOTensorFlow

/// The runtimes that TensorIO contains.
///
/// A new runtime is a target with a ``RuntimeDescriptor``, and an entry in this list.
package enum BuiltInRuntimes {
  /// The runtimes, in the order in which they are listed and considered for a model.
  package static let all: [RuntimeDescriptor] = [.liteRT, .tensorFlow, .onnxRuntime]

  /// The runtime without which an installation is incomplete.
  package static var required: RuntimeDescriptor { all.first { $0.isRequired } ?? all[0] }

  /// The libraries that can be installed.
  package static var libraries: [RuntimeLibrarySpecification] { all.compactMap(\.library) }
}
