public import CTensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOLibrary
import TensorIOTasks

// The functions of tensorio.h for the gallery that a model was opened with.

/// Implements `tio_output_enroll`.
@c(tio_output_enroll)
public func enrollOutput(
  _ output: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ source: UnsafePointer<CChar>?,
  _ isNew: UnsafeMutablePointer<Int32>?, _ error: ErrorPointer
) -> tio_status {
  guard let output = unsafe output, let name = unsafe text(name), let isNew = unsafe isNew,
    !name.isEmpty, name != Recognition.unknownName
  else {
    return unsafe invalidArgument(
      "tio_output_enroll needs an output and a name other than '\(Recognition.unknownName)'", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let handle = unsafe object(output, as: OutputHandle.self)
    let gallery = try handle.modelHandle().openGallery()
    let regions = try handle.output.embeddedRegions()
    let source = unsafe text(source) ?? "input"
    let isAdded = try ModelError.rethrowing(.output) { () throws(OperationError) in
      try gallery.enroll(regions.only(in: source).embedding, from: source, as: name)
    }
    unsafe isNew.pointee = isAdded ? 1 : 0
  }
}

/// Implements `tio_model_enrolled`.
@c(tio_model_enrolled)
public func enrolledNames(
  _ model: OpaquePointer?, _ names: UnsafeMutablePointer<OpaquePointer?>?, _ error: ErrorPointer
) -> tio_status {
  unsafe names?.pointee = nil
  guard let model = unsafe model, let names = unsafe names else {
    return unsafe invalidArgument("tio_model_enrolled needs a model and a string", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let gallery = try unsafe object(model, as: ModelHandle.self).openGallery()
    let entries = try ModelError.rethrowing(.output) { () throws(OperationError) in
      try gallery.contents().entries
    }
    let counts = Dictionary(entries.map { ($0.name, 1) }, uniquingKeysWith: +)
    var writer = JSONWriter(.compact)
    writer.object { writer in
      for name in counts.keys.sorted() { writer.member(name, counts[name] ?? 0) }
    }
    unsafe names.pointee = retained(CString(String(decoding: writer.bytes, as: UTF8.self)))
  }
}

/// Implements `tio_model_remove_enrolled`.
@c(tio_model_remove_enrolled)
public func removeEnrolled(
  _ model: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int>?,
  _ error: ErrorPointer
) -> tio_status {
  guard let model = unsafe model, let name = unsafe text(name), let count = unsafe count else {
    return unsafe invalidArgument(
      "tio_model_remove_enrolled needs a model, a name and a count", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let gallery = try unsafe object(model, as: ModelHandle.self).openGallery()
    unsafe count.pointee = try ModelError.rethrowing(.output) { () throws(OperationError) in
      try gallery.remove(name)
    }
  }
}

extension ModelHandle {
  fileprivate func openGallery() throws(ModelError) -> LiveGallery {
    guard let gallery else {
      throw ModelError(.input, .unsupported("a gallery: the model was opened without one"))
    }
    return gallery
  }
}
