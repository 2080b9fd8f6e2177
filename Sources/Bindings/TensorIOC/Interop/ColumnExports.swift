public import CTensorIO
import TensorIOBundle

// The functions that tensorio.h declares for columns of results.

/// Implements `tio_result_columns`.
@c(tio_result_columns)
public func resultColumns(
  _ outputs: UnsafePointer<OpaquePointer?>?, _ count: Int, _ options: UnsafePointer<CChar>?,
  _ columns: UnsafeMutablePointer<OpaquePointer?>?, _ error: ErrorPointer
) -> tio_status {
  unsafe columns?.pointee = nil
  let handles = unsafe UnsafeBufferPointer(
    start: outputs, count: outputs == nil ? 0 : max(0, count)
  )
  .compactMap { unsafe $0.map { unsafe object($0, as: OutputHandle.self) } }
  guard let columns = unsafe columns, count > 0, handles.count == count else {
    return unsafe invalidArgument("tio_result_columns needs outputs and columns", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let column = try unsafe OutputHandle.column(of: handles, OutputOptions(text(options)))
    unsafe columns.pointee = retained(ColumnsHandle(column, count: count))
  }
}

/// Implements `tio_columns_root`.
@c(tio_columns_root)
public func columnsRoot(_ columns: OpaquePointer?) -> UnsafePointer<tio_column>? {
  guard let columns = unsafe columns else { return nil }
  return unsafe object(columns, as: ColumnsHandle.self).root
}

/// Implements `tio_column_child`.
@c(tio_column_child)
public func columnChild(
  _ column: UnsafePointer<tio_column>?, _ name: UnsafePointer<CChar>?
) -> UnsafePointer<tio_column>? {
  guard let column = unsafe column, let name = unsafe text(name),
    let index = unsafe (0..<Int(column.pointee.child_count)).first(where: {
      unsafe text(column.pointee.children[$0].name) == name
    })
  else { return nil }
  return unsafe column.pointee.children + index
}

/// Implements `tio_columns_release`.
@c(tio_columns_release)
public func releaseColumns(_ columns: OpaquePointer?) {
  unsafe release(columns, ColumnsHandle.self)
}
