// swift-format-ignore-file
// Code for TensorIO for iOS. The compiler has to report what is behind each arrow, in an error in the
// line of the arrow; Scripts/test/examples compiles this file. The first lines are those of
// Documentation/MigratingFromTIO.md.
import Foundation
import TensorIO

func before(path: String, buffer: [UInt8], error: inout (any Error)?) {
  let bundle = TIOModelBundle(path: path)  // → 'TIOModelBundle' has been renamed to 'ModelBundle' | 'init(path:)' has been renamed to 'init(at:)'
  let model = bundle?.newModel()  // → use Model(bundle)
  let results = model?.run(on: TIOPixelBuffer(pixelBuffer: buffer, orientation: .right), error: &error)  // → 'run(on:error:)' has been renamed to 'run(_:)' | 'TIOPixelBuffer' has been renamed to 'ImageBuffer' | 'init(width:height:format:pixels:)'
  let label = (results as? NSDictionary)?["classification"]
}

func bundles(path: String, bundle: TIOModelBundle) throws {  // → 'TIOModelBundle' has been renamed to 'ModelBundle'
  try TIOModelBundleManager.shared().loadModelBundles(atPath: path)  // → 'TIOModelBundleManager' has been renamed to 'ModelLibrary' | 'shared()' has been replaced by 'init(at:)' | use ModelLibrary(at: path)
  let one = TIOModelBundleManager.shared().bundle(withId: "mobilenet")  // → 'bundle(withId:)' has been renamed to 'bundle(id:)'
  let all = TIOModelBundleManager.shared().modelBundles  // → 'modelBundles' has been renamed to 'bundles'
  let some = TIOModelBundleManager.shared().bundles(withIds: ["mobilenet"])  // → 'bundles(ids:)'
  print(bundle.identifier)  // → 'identifier' has been renamed to 'id'
  print(bundle.info)  // → 'info' has been renamed to 'description'
  print(bundle.quantized)  // → 'description.isQuantized'
  print(bundle.options)  // → 'description.options'
  print(bundle.modelFilepath ?? "")  // → 'modelFilepath' has been renamed to 'modelFile'
  print(bundle.path(toAsset: "labels.txt"))  // → 'path(ofAsset:)'
}

func models(path: String, bundle: ModelBundle) throws {
  let model = TIOTFLiteModel.withBundleAtPath(path)!  // → 'TIOTFLiteModel' has been renamed to 'Model' | 'init(at:)'
  let other = TIOModel(bundleAtPath: path)  // → 'TIOModel' has been renamed to 'Model' | 'init(at:)'
  let third = TIOTensorFlowModel(bundle: bundle)  // → 'TIOTensorFlowModel' has been renamed to 'Model' | 'init(bundle:)' has been renamed to 'init(_:)'
  try model.load()  // → an open model is loaded
  model.unload()  // → freed with its last copy
  let result = model.run(on: [1, 2, 3])  // → 'run(on:)' has been renamed to 'run(_:)'
  print(model.identifier, model.name)  // → 'bundle.id' | 'bundle.name'
  print(model.descriptionOfInput(at: 0))  // → 'inputs'
  print(model.descriptionOfOutput(withName: "label"))  // → use outputs[name]
  print(model.io.inputs)  // → use inputs, outputs and placeholders
}

func layers(layer: TIOLayerInterface, vector: TIOVectorLayerDescription, image: TIOPixelBufferLayerDescription) {  // → 'TIOLayerInterface' has been renamed to 'Layer'
  print(layer.isBatched)  // → 'shape.hasDynamicBatch'
  print(layer.isQuantized)  // → compare elementType with .uint8
  print(vector.length)  // → 'shape.elementCount'
  print(vector.dtype as Any)  // → 'elementType'
  print(vector.labels ?? [])  // → use ModelBundle.labels(for:)
  print(image.pixelFormat)  // → 'pixelFormat' has been renamed to 'format'
}

func training(model: TrainableModel, path: String, error: inout (any Error)?) {
  var batch = TIOBatch(keys: ["image", "label"])  // → 'TIOBatch' has been renamed to 'Batch'
  let losses = model.train(batch, error: &error)  // → 'train(_:)'
  _ = model.export(to: path, error: &error)  // → 'saveCheckpoint(to:)'
}
