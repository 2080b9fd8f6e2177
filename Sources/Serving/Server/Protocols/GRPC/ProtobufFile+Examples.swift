// The messages of TensorFlow Serving for examples: `Classify`, `Regress` and `MultiInference`.
extension ProtobufFile {
  static let exampleFiles = [
    feature, example, servingInput, servingClassification, servingRegression, servingInference,
  ]

  private static let feature = ProtobufFile(
    "tensorflow/core/example/feature.proto", package: "tensorflow",
    tables: """
      message BytesList
      1 repeated bytes value
      message FloatList
      1 repeated float value
      message Int64List
      1 repeated int64 value
      message Feature
      1 BytesList bytes_list | kind
      2 FloatList float_list | kind
      3 Int64List int64_list | kind
      message Features
      1 map string Feature feature
      """)

  private static let example = ProtobufFile(
    "tensorflow/core/example/example.proto", package: "tensorflow",
    dependencies: ["tensorflow/core/example/feature.proto"],
    tables: """
      message Example
      1 Features features
      """)

  private static let servingInput = ProtobufFile(
    "tensorflow_serving/apis/input.proto", package: "tensorflow.serving",
    dependencies: ["tensorflow/core/example/example.proto"],
    tables: """
      message ExampleList
      1 repeated .tensorflow.Example examples
      message ExampleListWithContext
      1 repeated .tensorflow.Example examples
      2 .tensorflow.Example context
      message Input
      1 ExampleList example_list | kind
      2 ExampleListWithContext example_list_with_context | kind
      """)

  private static let servingClassification = ProtobufFile(
    "tensorflow_serving/apis/classification.proto", package: "tensorflow.serving",
    dependencies: ["tensorflow_serving/apis/input.proto", "tensorflow_serving/apis/model.proto"],
    tables: """
      message Class
      1 string label
      2 float score
      message Classifications
      1 repeated Class classes
      message ClassificationResult
      1 repeated Classifications classifications
      message ClassificationRequest
      1 ModelSpec model_spec
      2 Input input
      message ClassificationResponse
      2 ModelSpec model_spec
      1 ClassificationResult result
      """)

  private static let servingRegression = ProtobufFile(
    "tensorflow_serving/apis/regression.proto", package: "tensorflow.serving",
    dependencies: ["tensorflow_serving/apis/input.proto", "tensorflow_serving/apis/model.proto"],
    tables: """
      message Regression
      1 float value
      message RegressionResult
      1 repeated Regression regressions
      message RegressionRequest
      1 ModelSpec model_spec
      2 Input input
      message RegressionResponse
      2 ModelSpec model_spec
      1 RegressionResult result
      """)

  private static let servingInference = ProtobufFile(
    "tensorflow_serving/apis/inference.proto", package: "tensorflow.serving",
    dependencies: [
      "tensorflow_serving/apis/classification.proto", "tensorflow_serving/apis/input.proto",
      "tensorflow_serving/apis/model.proto", "tensorflow_serving/apis/regression.proto",
    ],
    tables: """
      message InferenceTask
      1 ModelSpec model_spec
      2 string method_name
      message InferenceResult
      1 ModelSpec model_spec
      2 ClassificationResult classification_result | result
      3 RegressionResult regression_result | result
      message MultiInferenceRequest
      1 repeated InferenceTask tasks
      2 Input input
      message MultiInferenceResponse
      1 repeated InferenceResult results
      """)
}
