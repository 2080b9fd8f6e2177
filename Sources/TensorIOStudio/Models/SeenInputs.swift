internal import TensorIOCore
internal import TensorIOEvaluation
internal import TensorIOImage
internal import TensorIOServer

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a model sees of a picture, ready to be shown.
struct SeenInputs {
  private let inputs: [Input]

  fileprivate struct Input {
    let seen: SeenPicture
    let picture: String
    let channels: [(name: String, picture: String)]
  }

  init(_ picture: [UInt8], of model: Model) throws(ModelError) {
    let seen = try model.seenPictures(of: .value(.bytes(picture)))
    do throws(ImageError) {
      var inputs: [Input] = []
      for seen in seen { inputs.append(try Input(seen)) }
      self.inputs = inputs
    } catch {
      throw ModelError(.input, .picture(error))
    }
  }

  var response: HTTPResponse {
    .json { writer in
      writer.object { writer in
        writer.member(
          "inputs",
          array: { writer in for input in inputs { writer.object { input.write(to: &$0) } } })
      }
    }
  }
}

extension SeenInputs.Input {
  fileprivate init(_ seen: SeenPicture) throws(ImageError) {
    self.seen = seen
    picture = try seen.picture().base64
    var channels: [(name: String, picture: String)] = []
    for (index, name) in seen.channelNames.enumerated() {
      channels.append((name, try seen.picture(ofChannel: index).base64))
    }
    self.channels = channels
  }

  fileprivate func write(to writer: inout JSONWriter) {
    let values = seen.channels.joined()
    writer.member("name", seen.layer.name)
    writer.member("width", seen.image.width)
    writer.member("height", seen.image.height)
    writer.key("range")
    writer.numbers([values.min() ?? .nan, values.max() ?? .nan])
    writer.member("picture", picture)
    writer.member(
      "channels",
      array: { writer in
        for channel in channels {
          writer.object { writer in
            writer.member("name", channel.name)
            writer.member("picture", channel.picture)
          }
        }
      })
    writer.member("transform", object: { seen.writeMembers(to: &$0) })
  }
}

extension ImageBuffer {
  fileprivate var base64: String {
    get throws(ImageError) { Data(try encoded(as: .png)).base64EncodedString() }
  }
}
