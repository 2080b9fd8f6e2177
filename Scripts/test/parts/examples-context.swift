// The names that examples in documents and doc comments use without declaring them.
import TensorIO

var model: Model { value() }
var bundle: ModelBundle { value() }
var image: ImageBuffer { value() }
var frames: [ImageBuffer] { value() }
var input: ModelInput { value() }
var output: ModelOutput { value() }
var folder: String { value() }

private func value<Value>() -> Value {
  preconditionFailure("examples are compiled, not run")
}
