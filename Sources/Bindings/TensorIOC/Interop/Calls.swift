import CTensorIO
import TensorIOBundle

// What the functions that tensorio.h declares have in common.

/// The result pointer of a call that may fail.
public typealias ErrorPointer = UnsafeMutablePointer<OpaquePointer?>?

/// Transfers an object to C code.
func retained(_ object: some AnyObject) -> OpaquePointer {
  unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
}

func object<Object: AnyObject>(_ pointer: OpaquePointer, as: Object.Type) -> Object {
  unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
}

func release<Object: AnyObject>(_ pointer: OpaquePointer?, _ type: Object.Type) {
  guard let pointer = unsafe pointer else { return }
  unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(pointer)).release()
}

/// Runs the body of a call, and stores its error.
func call(_ error: ErrorPointer, _ body: () throws(ModelError) -> Void) -> tio_status {
  unsafe error?.pointee = nil
  do throws(ModelError) {
    try body()
    return TIO_OK
  } catch let failure {
    return unsafe store(ErrorHandle(failure), error)
  }
}

func store(_ failure: ErrorHandle, _ error: ErrorPointer) -> tio_status {
  let status = failure.status
  unsafe error?.pointee = retained(failure)
  return status
}

func invalidArgument(_ message: String, _ error: ErrorPointer) -> tio_status {
  unsafe store(ErrorHandle(argument: message), error)
}

func text(_ pointer: UnsafePointer<CChar>?) -> String? {
  unsafe pointer.map { unsafe String(cString: $0) }
}
