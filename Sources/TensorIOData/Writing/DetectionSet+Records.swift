public import TensorIOCore

extension DetectionSet {
  /// A picture with its boxes, to be written in another form.
  public func record(at index: Int) throws(ModelError) -> DataRecord {
    DataRecord(
      picture: picturePath(at: index), boxes: try boxes(at: index), part: part(at: index))
  }
}
