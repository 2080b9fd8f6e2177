public import CTensorIO
import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTeaching

// The functions for teaching that tensorio.h declares.

/// A teacher that C code owns.
@safe private final class TeacherHandle: Sendable {
  private let teacher: Mutex<Teacher>

  init(_ teacher: Teacher) { self.teacher = Mutex(teacher) }

  /// Calls a closure with the teacher, which is used by one thread at a time.
  func withTeacher<Value: Sendable>(
    _ body: (inout Teacher) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let result = teacher.withLock { teacher in
      Result { () throws(ModelError) -> Value in try body(&teacher) }
    }
    return try result.get()
  }
}

/// Implements `tio_teacher_open`.
@c(tio_teacher_open)
public func openTeacher(
  _ model: OpaquePointer?, _ options: UnsafePointer<CChar>?, _ teacher: ObjectPointer,
  _ error: ErrorPointer
) -> tio_status {
  unsafe teacher?.pointee = nil
  guard let model = unsafe model, let teacher = unsafe teacher else {
    return unsafe invalidArgument("tio_teacher_open needs a model and a teacher", error)
  }
  let parsed: Teacher.Options
  do throws(ModelError) {
    parsed = try unsafe Teacher.Options(json: text(options))
  } catch let failure {
    return unsafe invalidArgument(failure.message, error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let model = unsafe object(model, as: ModelHandle.self).model
    unsafe teacher.pointee = retained(TeacherHandle(try Teacher(model, parsed)))
  }
}

/// Implements `tio_teacher_release`.
@c(tio_teacher_release)
public func releaseTeacher(_ teacher: OpaquePointer?) {
  unsafe release(teacher, TeacherHandle.self)
}

/// Implements `tio_teacher_add`.
@c(tio_teacher_add)
public func addExample(
  _ teacher: OpaquePointer?, _ values: UnsafePointer<tio_value>?, _ count: Int,
  _ label: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?, _ error: ErrorPointer
) -> tio_status {
  guard let values = unsafe values, let label = unsafe text(label) else {
    return unsafe invalidArgument("tio_teacher_add needs a teacher, values and a label", error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    let input = try unsafe InputValue.modelInput(UnsafeBufferPointer(start: values, count: count))
    try unsafe teacher.add(input, as: label, named: text(name) ?? "")
  }
}

/// Implements `tio_teacher_add_data`.
@c(tio_teacher_add_data)
public func addExamples(
  _ teacher: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ label: UnsafePointer<CChar>?,
  _ error: ErrorPointer
) -> tio_status {
  guard let path = unsafe text(path) else {
    return unsafe invalidArgument("tio_teacher_add_data needs a teacher and a path", error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    if let label = unsafe text(label) {
      try teacher.add(filesAt: path, as: label)
    } else {
      try teacher.add(contentsOf: path)
    }
  }
}

/// Implements `tio_teacher_add_gallery`.
@c(tio_teacher_add_gallery)
public func addGalleryExamples(
  _ teacher: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: ErrorPointer
) -> tio_status {
  guard let path = unsafe text(path) else {
    return unsafe invalidArgument("tio_teacher_add_gallery needs a teacher and a path", error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    try teacher.add(galleryAt: path)
  }
}

/// Implements `tio_teacher_remove`.
@c(tio_teacher_remove)
public func removeExamples(
  _ teacher: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int>?,
  _ error: ErrorPointer
) -> tio_status {
  guard let name = unsafe text(name), let count = unsafe count else {
    return unsafe invalidArgument("tio_teacher_remove needs a teacher, a name and a count", error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    unsafe count.pointee = teacher.remove(name)
  }
}

/// Implements `tio_teacher_classes`.
@c(tio_teacher_classes)
public func classesOfTeacher(
  _ teacher: OpaquePointer?, _ json: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe json?.pointee = nil
  guard let json = unsafe json else {
    return unsafe invalidArgument("tio_teacher_classes needs a teacher and a string", error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    var writer = JSONWriter(.compact)
    writer.object { writer in
      for (label, count) in zip(teacher.classes, teacher.exampleCounts) {
        writer.member(label, count)
      }
    }
    unsafe json.pointee = retained(CString(String(decoding: writer.bytes, as: UTF8.self)))
  }
}

/// Implements `tio_teacher_refine`.
@c(tio_teacher_refine)
public func refineTeacher(
  _ teacher: OpaquePointer?, _ options: UnsafePointer<CChar>?, _ values: UnsafePointer<tio_value>?,
  _ count: Int, _ json: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe json?.pointee = nil
  guard let json = unsafe json else {
    return unsafe invalidArgument("tio_teacher_refine needs a teacher and a string", error)
  }
  var parsed: BackboneRefinement.Options
  do throws(ModelError) {
    parsed = try unsafe BackboneRefinement.Options(json: text(options))
  } catch let failure {
    return unsafe invalidArgument(failure.message, error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    parsed.placeholders = try unsafe placeholders(values, count)
    let refinement = try teacher.refine(parsed)
    var writer = JSONWriter(.compact)
    writer.object { writer in refinement.write(to: &writer) }
    unsafe json.pointee = retained(CString(String(decoding: writer.bytes, as: UTF8.self)))
  }
}

/// Implements `tio_teacher_fit`.
@c(tio_teacher_fit)
public func fitTeacher(
  _ teacher: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ overwriting: Int32,
  _ report: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe report?.pointee = nil
  guard let report = unsafe report else {
    return unsafe invalidArgument("tio_teacher_fit needs a teacher and a report", error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    let taught = try teacher.fit()
    let path = unsafe text(path)
    if let path { try taught.export(to: path, overwriting: overwriting != 0) }
    var writer = JSONWriter(.compact)
    writer.object { writer in
      if let path { writer.member("bundle", path) }
      taught.report.write(to: &writer)
    }
    unsafe report.pointee = retained(CString(String(decoding: writer.bytes, as: UTF8.self)))
  }
}

// MARK: Weights

/// Implements `tio_teacher_weights`.
@c(tio_teacher_weights)
public func weightsOfTeacher(
  _ teacher: OpaquePointer?, _ weights: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe weights?.pointee = nil
  guard let weights = unsafe weights else {
    return unsafe invalidArgument("tio_teacher_weights needs a teacher and weights", error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    unsafe weights.pointee = retained(
      try WeightsHandle(teacher.weights(), names: Teacher.weightNames))
  }
}

/// Implements `tio_teacher_set_weights`.
@c(tio_teacher_set_weights)
public func setWeightsOfTeacher(
  _ teacher: OpaquePointer?, _ values: UnsafePointer<tio_value>?, _ count: Int,
  _ error: ErrorPointer
) -> tio_status {
  guard unsafe count == 0 || values != nil else {
    return unsafe invalidArgument("tio_teacher_set_weights needs a teacher and values", error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    try unsafe teacher.setWeights(weights(values, count))
  }
}

/// Implements `tio_teacher_train`.
@c(tio_teacher_train)
public func trainTeacher(
  _ teacher: OpaquePointer?, _ proximity: UnsafePointer<Double>?, _ json: ObjectPointer,
  _ error: ErrorPointer
) -> tio_status {
  unsafe json?.pointee = nil
  guard let json = unsafe json else {
    return unsafe invalidArgument("tio_teacher_train needs a teacher and a string", error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    let metrics = try teacher.train(
      proximity: unsafe proximity?.pointee ?? Teacher.defaultProximity)
    unsafe json.pointee = retained(text(of: metrics))
  }
}

/// Implements `tio_teacher_evaluate`.
@c(tio_teacher_evaluate)
public func evaluateTeacher(
  _ teacher: OpaquePointer?, _ json: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe json?.pointee = nil
  guard let json = unsafe json else {
    return unsafe invalidArgument("tio_teacher_evaluate needs a teacher and a string", error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    unsafe json.pointee = retained(text(of: try teacher.evaluate()))
  }
}

/// Implements `tio_teacher_calibrate`.
@c(tio_teacher_calibrate)
public func calibrateTeacher(
  _ teacher: OpaquePointer?, _ json: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe json?.pointee = nil
  guard let json = unsafe json else {
    return unsafe invalidArgument("tio_teacher_calibrate needs a teacher and a string", error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    let calibration = try teacher.calibrate()
    unsafe json.pointee = retained(
      text(of: calibration.metrics) { writer in
        writer.member("temperature", calibration.temperature)
        writer.key("max_distance")
        if let distance = calibration.maxDistance { writer.value(distance) } else { writer.null() }
      })
  }
}

/// Implements `tio_teacher_export`.
@c(tio_teacher_export)
public func exportTeacher(
  _ teacher: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ overwriting: Int32,
  _ error: ErrorPointer
) -> tio_status {
  guard let path = unsafe text(path) else {
    return unsafe invalidArgument("tio_teacher_export needs a teacher and a path", error)
  }
  return unsafe withTeacher(teacher, error) { (teacher) throws(ModelError) in
    try teacher.export(to: path, overwriting: overwriting != 0)
  }
}

/// Returns metrics as the object that `tio_trainer_evaluate` returns.
private func text(
  of metrics: Teacher.Metrics, _ writeMembers: (inout JSONWriter) -> Void = { _ in }
) -> CString {
  var writer = JSONWriter(.compact)
  writer.object { writer in
    writer.averages(
      loss: metrics.loss, ["accuracy": metrics.accuracy], itemCount: metrics.exampleCount)
    writeMembers(&writer)
  }
  return CString(String(decoding: writer.bytes, as: UTF8.self))
}

private func withTeacher(
  _ teacher: OpaquePointer?, _ error: ErrorPointer,
  _ body: (inout Teacher) throws(ModelError) -> Void
) -> tio_status {
  guard let teacher = unsafe teacher else {
    return unsafe invalidArgument("the call needs a teacher", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    try unsafe object(teacher, as: TeacherHandle.self).withTeacher(body)
  }
}
