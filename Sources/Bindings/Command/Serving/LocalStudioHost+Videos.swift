import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOServer
import TensorIOStreaming
import TensorIOStudio
import TensorIOSystem
import TensorIOTasks

extension LocalStudioHost {
  func requireVideoDecoder() throws(ClientError) {
    do throws(OperationError) {
      _ = try FFmpeg.launch(FFmpeg.program, ["-version"], ours: .output).waitUntilExit()
    } catch {
      throw ClientError(error, redacting: "")
    }
  }

  func processVideo(
    at path: String, with model: Model, _ options: ResultOptions, onStart: (Double?) -> Void,
    onFrame: (ProcessedFrame) -> Bool, isCancelled: @escaping @Sendable () -> Bool
  ) throws(ClientError) {
    do throws(OperationError) {
      let inputs = try StreamInputs([], placeholders: [], for: model, console)
      let labels = options.labelSelection(for: model.bundle.description.task)
      let postprocessor = try OperationError.rethrowing { () throws(ModelError) in
        try TaskPostprocessor(model, options)
      }
      var processor = FrameProcessor(model, inputs, labels, postprocessor, annotated: nil)
      processor.includesOverlay = true
      let source = try VideoSource(
        path, demuxers: Self.demuxers, isPaced: false, isCancelled: isCancelled)
      onStart(source.frameRate)
      var feed = SequentialFrameFeed(of: source) { 0 }
      let identity = RunRecord.ModelIdentity(model.bundle)
      while !isCancelled(), let frame = try feed.next() {
        let result = Result { () throws(OperationError) in try processor.process(frame).success }
        let record = RunRecord(
          model: identity, input: "", result: result,
          frame: RunRecord.FramePosition(number: frame.number, seconds: frame.time))
        guard onFrame(try ProcessedFrame(frame.image, record, labels)) else { return }
      }
      guard feed.receivedCount > 0 || isCancelled() else {
        throw .input("no-frames", "the video has no frames")
      }
    } catch {
      // The name of the file is not that of the client.
      let message = error.message.replacing("\(path): ", with: "")
      throw ClientError(
        OperationError(error.code, message, exitCode: error.exitCode),
        redacting: FilePath.parent(of: path))
    }
  }

  /// The demuxers of uploaded videos.
  ///
  /// Others, such as those of playlists, open further files.
  private static let demuxers = [
    "mov", "matroska", "avi", "mpegts", "mpeg", "mpegvideo", "flv", "asf", "ogg", "gif", "h264",
    "hevc", "yuv4mpegpipe", "mxf", "mjpeg",
  ]
}

extension ProcessedFrame {
  fileprivate init(
    _ frame: FrameImage, _ record: RunRecord, _ labels: LabelSelection
  ) throws(OperationError) {
    var display = JSONWriter(.compact)
    record.write(to: &display, labels: labels)
    var line = JSONWriter(.compact)
    record.withoutOverlay.write(to: &line, labels: labels)
    do throws(ImageError) {
      let image = try frame.image
      self.init(
        image: try image.encoded(as: .jpeg()), width: image.width, height: image.height,
        record: display.bytes, line: line.bytes + [UInt8(ascii: "\n")])
    } catch {
      throw OperationError(imageError: error)
    }
  }
}

extension RunRecord {
  /// The record without what to draw.
  fileprivate var withoutOverlay: RunRecord {
    guard case .success(var success) = result else { return self }
    success.overlay = nil
    return RunRecord(model: model, input: input, result: .success(success), frame: frame)
  }
}
