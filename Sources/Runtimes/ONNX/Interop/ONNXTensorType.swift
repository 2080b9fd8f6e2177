import CONNX
import TensorIOBundle

/// The type of an input or output of a loaded model.
struct ONNXTensorType: Sendable {
  let name: String
  let kind: Kind

  enum Kind: Sendable {
    case tensor(type: ElementType, shape: TensorShape)
    /// A tensor whose element type TensorIO does not support, with ONNX's code.
    case unsupportedTensor(Int)
    /// A value of another kind, with ONNX Runtime's code.
    case other(Int)
  }
}

extension ONNXRuntimeSession {
  /// Returns the inputs in the order of the file.
  func inputs() throws(ModelError) -> [ONNXTensorType] {
    let functions = unsafe library.functions.pointee
    return try unsafe values(
      functions.OrtSessionGetInputCount, functions.OrtSessionGetInputName,
      functions.OrtSessionGetInputTypeInfo)
  }

  /// Returns the outputs in the order of the file.
  func outputs() throws(ModelError) -> [ONNXTensorType] {
    let functions = unsafe library.functions.pointee
    return try unsafe values(
      functions.OrtSessionGetOutputCount, functions.OrtSessionGetOutputName,
      functions.OrtSessionGetOutputTypeInfo)
  }

  private typealias CountFunction = (OpaquePointer, UnsafeMutablePointer<Int>) -> OpaquePointer?
  private typealias NameFunction = (
    OpaquePointer, Int, OpaquePointer, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) -> OpaquePointer?
  private typealias InfoFunction = (
    OpaquePointer, Int, UnsafeMutablePointer<OpaquePointer?>
  ) -> OpaquePointer?

  private func values(
    _ count: CountFunction, _ name: NameFunction, _ info: InfoFunction
  ) throws(ModelError) -> [ONNXTensorType] {
    let count = unsafe try library.number(Int.self) { unsafe count(handle, &$0) }
    var types: [ONNXTensorType] = []
    for index in 0..<count {
      let info = unsafe try library.handle { unsafe info(handle, index, &$0) }
      defer { unsafe library.functions.pointee.OrtReleaseTypeInfo(info) }
      types.append(
        unsafe ONNXTensorType(name: try self.name(index, name), kind: try library.kind(of: info)))
    }
    return types
  }

  private func name(_ index: Int, _ function: NameFunction) throws(ModelError) -> String {
    var name: UnsafeMutablePointer<CChar>?
    unsafe try library.check(function(handle, index, library.allocator, &name))
    guard let name = unsafe name else { return "" }
    let text = unsafe String(cString: name)
    unsafe try library.check(library.functions.pointee.OrtAllocatorFree(library.allocator, name))
    return text
  }
}

extension ONNXLibrary {
  fileprivate func kind(of info: OpaquePointer) throws(ModelError) -> ONNXTensorType.Kind {
    let functions = unsafe functions.pointee
    let kind = unsafe try number(CInt.self) {
      unsafe functions.OrtGetOnnxTypeFromTypeInfo(info, &$0)
    }
    guard Int(kind) == CONNXTensor else { return .other(Int(kind)) }
    let tensor = unsafe try handle { unsafe functions.OrtCastTypeInfoToTensorInfo(info, &$0) }
    let (code, shape) = unsafe try typeAndShape(of: tensor, at: .runtime)
    guard let type = ElementType(onnxCode: code) else { return .unsupportedTensor(Int(code)) }
    return .tensor(type: type, shape: TensorShape(signedDimensions: shape))
  }

  /// Returns ONNX's code of the element type, and the dimensions.
  func typeAndShape(
    of info: OpaquePointer, at stage: ModelError.Stage
  ) throws(ModelError) -> (code: CInt, shape: [Int]) {
    let functions = unsafe functions.pointee
    let code = unsafe try number(CInt.self, at: stage) {
      unsafe functions.OrtGetTensorElementType(info, &$0)
    }
    let rank = unsafe try number(Int.self, at: stage) {
      unsafe functions.OrtGetDimensionsCount(info, &$0)
    }
    var dimensions = [Int64](repeating: 0, count: rank)
    unsafe try check(functions.OrtGetDimensions(info, &dimensions, rank), at: stage)
    return (code, dimensions.map { Int(clamping: $0) })
  }
}

extension ElementType {
  /// Returns the type with ONNX's code, or `nil` if it is not supported.
  init?(onnxCode code: CInt) {
    guard let type = Self.allCases.first(where: { $0.onnxCode == code }) else { return nil }
    self = type
  }

  /// ONNX's code of the type.
  var onnxCode: CInt {
    let code =
      switch self {
      case .float32: CONNXFloat32
      case .float16: CONNXFloat16
      case .float64: CONNXFloat64
      case .uint8: CONNXUInt8
      case .int8: CONNXInt8
      case .int16: CONNXInt16
      case .int32: CONNXInt32
      case .int64: CONNXInt64
      case .bool: CONNXBool
      case .string: CONNXString
      }
    return CInt(code)
  }
}
