import CTensorIO
import TensorIOBundle
import TensorIOJSON

/// An error that C code owns, with its texts as C strings.
@safe final class ErrorHandle {
  let status: tio_status
  let code: CString
  let message: CString
  let layer: CString?
  let json: CString

  init(_ error: ModelError) {
    status = error.stage.status
    code = CString(error.code)
    message = CString(error.message)
    layer = error.layer.map { CString($0) }
    json = CString(Self.json(error))
  }

  /// Creates the error of a call with an invalid argument.
  init(argument message: String) {
    status = TIO_ERROR_ARGUMENT
    code = CString("invalid-argument")
    self.message = CString(message)
    layer = nil
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("code", "invalid-argument")
      writer.member("message", message)
      writer.member("stage", "argument")
    }
    json = CString(String(decoding: writer.bytes, as: UTF8.self))
  }

  private static func json(_ error: ModelError) -> String {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("code", error.code)
      writer.member("message", error.message)
      writer.member("stage", error.stage.rawValue)
      if let layer = error.layer { writer.member("layer", layer) }
      if let file = error.file { writer.member("file", file) }
      if let item = error.item { writer.member("item", item) }
      if error.details != [:] { writer.member(.init("details", error.details)) }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension ModelError.Stage {
  /// The status of a call that fails in this stage.
  fileprivate var status: tio_status {
    switch self {
    case .bundle: TIO_ERROR_BUNDLE
    case .runtime: TIO_ERROR_RUNTIME
    case .input: TIO_ERROR_INPUT
    case .run: TIO_ERROR_RUN
    case .output: TIO_ERROR_OUTPUT
    }
  }
}
