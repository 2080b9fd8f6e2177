import CTensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTasks

/// The columns of results that C code owns, with the memory that they point to.
@safe final class ColumnsHandle {
  /// The records of the results, which have a member for each output.
  private(set) var root: UnsafePointer<tio_column>?
  /// The arrays that the columns point to.
  ///
  /// The elements of an array stay in place as long as it is neither changed nor released.
  private var owners: [Any] = []

  /// Creates columns for a number of results.
  init(_ column: ResultColumn, count: Int) {
    var records = unsafe stored(column)
    // Records without members do not have a count.
    unsafe records.count = Int64(count)
    unsafe root = keep([records])
  }

  /// Returns a column in the form of the header.
  private func stored(_ column: ResultColumn, named name: String? = nil) -> tio_column {
    var result = unsafe tio_column()
    unsafe result.name = name.flatMap { unsafe keep(Array($0.utf8CString)) }
    unsafe result.count = Int64(column.count)
    switch column {
    case .numbers(let numbers):
      unsafe result.kind = Int32(bitPattern: TIO_COLUMN_NUMBERS.rawValue)
      unsafe (result.dtype, result.data) = stored(numbers.elements)
    case .texts(let texts):
      unsafe result.kind = Int32(bitPattern: TIO_COLUMN_TEXTS.rawValue)
      var bytes: [UInt8] = []
      let ends = texts.map { text in
        bytes += text.utf8
        return bytes.count
      }
      unsafe result.data = UnsafeRawPointer(keep(bytes))
      unsafe result.offsets = offsets(ends)
    case .images(let images):
      unsafe result.kind = Int32(bitPattern: TIO_COLUMN_IMAGES.rawValue)
      unsafe result.images = keep(images.map { unsafe stored($0.upright()) })
    case .lists(let ends, of: let elements):
      unsafe result.kind = Int32(bitPattern: TIO_COLUMN_LISTS.rawValue)
      unsafe result.offsets = offsets(ends)
      unsafe setChildren([stored(elements)], of: &result)
    case .records(let members):
      unsafe result.kind = Int32(bitPattern: TIO_COLUMN_RECORDS.rawValue)
      unsafe setChildren(members.map { unsafe stored($0.column, named: $0.name) }, of: &result)
    case .optionals(let isPresent, of: let values):
      unsafe result.kind = Int32(bitPattern: TIO_COLUMN_OPTIONALS.rawValue)
      unsafe result.present = keep(isPresent.map { $0 ? 1 : 0 })
      unsafe setChildren([stored(values)], of: &result)
    }
    return unsafe result
  }

  /// Returns the type and the memory of numbers, which are not copied.
  private func stored(_ numbers: Numbers.Elements) -> (dtype: Int32, data: UnsafeRawPointer?) {
    switch numbers {
    case .floats(let values): unsafe (ElementType.float32.dtype, UnsafeRawPointer(keep(values)))
    case .doubles(let values): unsafe (ElementType.float64.dtype, UnsafeRawPointer(keep(values)))
    case .integers(let values): unsafe (ElementType.int64.dtype, UnsafeRawPointer(keep(values)))
    case .booleans(let values): unsafe (ElementType.bool.dtype, UnsafeRawPointer(keep(values)))
    }
  }

  private func stored(_ image: ImageBuffer) -> tio_image {
    owners.append(image)
    let pixels = unsafe image.withRow(0) { row in
      unsafe row.withUnsafeBufferPointer { $0.baseAddress }
    }
    return unsafe tio_image(
      width: Int64(image.width), height: Int64(image.height), row_bytes: Int64(image.bytesPerRow),
      pixel_format: image.format.number, pixels: pixels)
  }

  /// Returns the beginnings of texts or lists, and the end of the last one.
  private func offsets(_ ends: [Int]) -> UnsafePointer<Int64>? {
    unsafe keep([0] + ends.map { Int64($0) })
  }

  private func setChildren(_ children: [tio_column], of column: inout tio_column) {
    unsafe column.child_count = Int64(children.count)
    unsafe column.children = keep(children)
  }

  /// Returns the elements of an array, which lives as long as the columns.
  private func keep<Element>(_ array: [Element]) -> UnsafePointer<Element>? {
    owners.append(array)
    return unsafe array.withUnsafeBufferPointer { $0.baseAddress }
  }
}
