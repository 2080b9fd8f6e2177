package import TensorIOCore
internal import TensorIOImage

extension SeenPicture {
  /// What is said of the picture, as JSON.
  var json: [UInt8] {
    var writer = JSONWriter(.indented)
    writer.object { writeMembers(to: &$0) }
    return writer.bytes + Array("\n".utf8)
  }

  /// Writes what is said of the picture, as members of an object.
  package func writeMembers(to writer: inout JSONWriter) {
    writer.member("input", layer.name)
    writer.member("width", image.width)
    writer.member("height", image.height)
    writer.member("format", image.format.rawValue.uppercased())
    writer.member("layout", image.layout.rawValue)
    writer.member("dtype", elementType.rawValue)
    writer.member("fit", image.fit.rawValue)
    writer.member("filter", image.filter.rawValue)
    writeChannels(to: &writer)
    if let geometry { geometry.write(to: &writer) }
  }

  private func writeChannels(to writer: inout JSONWriter) {
    writer.member(
      "channels",
      array: { writer in
        for (name, values) in zip(channelNames, channels) {
          writer.object { writer in
            writer.member("name", name)
            writer.member("min", values.min() ?? .nan)
            writer.member("max", values.max() ?? .nan)
            writer.member("mean", values.map(Double.init).mean ?? .nan)
          }
        }
      })
  }
}

extension ImageGeometry {
  /// Writes the picture's size, and the maps between it and what the model sees.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member(
      "picture",
      object: { writer in
        writer.member("width", pictureWidth)
        writer.member("height", pictureHeight)
      })
    for (name, map) in [("to_picture", modelToPicture), ("from_picture", pictureToModel)] {
      writer.member(
        name,
        object: { writer in
          let parts = [
            ("a", map.a), ("b", map.b), ("c", map.c), ("d", map.d), ("tx", map.tx), ("ty", map.ty),
          ]
          for (part, value) in parts { writer.member(part, value) }
        })
    }
  }
}
