// The messages of TensorFlow Serving, as far as this server uses them.
extension ProtobufFile {
  static let tensorFlowFiles =
    [
      tensorFlowTypes, tensorFlowShape, tensorFlowTensor, tensorFlowSignature, tensorFlowErrors,
      servingModel, servingStatus, servingPredict, servingMetadata, servingModelStatus,
    ] + exampleFiles + [
      ProtobufFile(
        TensorFlowServingGRPC.predictionFile, package: "tensorflow.serving",
        dependencies: [
          "tensorflow_serving/apis/classification.proto",
          "tensorflow_serving/apis/get_model_metadata.proto",
          "tensorflow_serving/apis/inference.proto", "tensorflow_serving/apis/predict.proto",
          "tensorflow_serving/apis/regression.proto",
        ], tables: ""),
      ProtobufFile(
        TensorFlowServingGRPC.modelFile, package: "tensorflow.serving",
        dependencies: ["tensorflow_serving/apis/get_model_status.proto"], tables: ""),
    ]

  private static let tensorFlowTypes = ProtobufFile(
    "tensorflow/core/framework/types.proto", package: "tensorflow",
    tables: """
      enum DataType
      0 DT_INVALID
      1 DT_FLOAT
      2 DT_DOUBLE
      3 DT_INT32
      4 DT_UINT8
      5 DT_INT16
      6 DT_INT8
      7 DT_STRING
      8 DT_COMPLEX64
      9 DT_INT64
      10 DT_BOOL
      14 DT_BFLOAT16
      17 DT_UINT16
      19 DT_HALF
      22 DT_UINT32
      23 DT_UINT64
      """)

  private static let tensorFlowShape = ProtobufFile(
    "tensorflow/core/framework/tensor_shape.proto", package: "tensorflow",
    tables: """
      message TensorShapeProto
      2 repeated TensorShapeProto.Dim dim
      3 bool unknown_rank
      message TensorShapeProto.Dim
      1 int64 size
      2 string name
      """)

  private static let tensorFlowTensor = ProtobufFile(
    "tensorflow/core/framework/tensor.proto", package: "tensorflow",
    dependencies: [
      "tensorflow/core/framework/tensor_shape.proto", "tensorflow/core/framework/types.proto",
    ],
    tables: """
      message TensorProto
      1 DataType dtype
      2 TensorShapeProto tensor_shape
      3 int32 version_number
      4 bytes tensor_content
      5 repeated float float_val
      6 repeated double double_val
      7 repeated int32 int_val
      8 repeated bytes string_val
      10 repeated int64 int64_val
      11 repeated bool bool_val
      13 repeated int32 half_val
      16 repeated uint32 uint32_val
      17 repeated uint64 uint64_val
      """)

  private static let tensorFlowSignature = ProtobufFile(
    "tensorflow/core/protobuf/meta_graph.proto", package: "tensorflow",
    dependencies: [
      "tensorflow/core/framework/tensor_shape.proto", "tensorflow/core/framework/types.proto",
    ],
    tables: """
      message SignatureDef
      1 map string TensorInfo inputs
      2 map string TensorInfo outputs
      3 string method_name
      message TensorInfo
      1 string name | encoding
      2 DataType dtype
      3 TensorShapeProto tensor_shape
      """)

  private static let tensorFlowErrors = ProtobufFile(
    "tensorflow/core/protobuf/error_codes.proto", package: "tensorflow.error",
    tables: """
      enum Code
      0 OK
      1 CANCELLED
      2 UNKNOWN
      """)

  private static let servingModel = ProtobufFile(
    "tensorflow_serving/apis/model.proto", package: "tensorflow.serving",
    dependencies: ["google/protobuf/wrappers.proto"],
    tables: """
      message ModelSpec
      1 string name
      2 .google.protobuf.Int64Value version | version_choice
      4 string version_label | version_choice
      3 string signature_name
      """)

  private static let servingStatus = ProtobufFile(
    "tensorflow_serving/util/status.proto", package: "tensorflow.serving",
    dependencies: ["tensorflow/core/protobuf/error_codes.proto"],
    tables: """
      message StatusProto
      1 .tensorflow.error.Code error_code
      2 string error_message
      """)

  private static let servingPredict = ProtobufFile(
    "tensorflow_serving/apis/predict.proto", package: "tensorflow.serving",
    dependencies: [
      "tensorflow/core/framework/tensor.proto", "tensorflow_serving/apis/model.proto",
    ],
    tables: """
      message PredictRequest
      1 ModelSpec model_spec
      2 map string .tensorflow.TensorProto inputs
      3 repeated string output_filter
      message PredictResponse
      2 ModelSpec model_spec
      1 map string .tensorflow.TensorProto outputs
      """)

  private static let servingMetadata = ProtobufFile(
    "tensorflow_serving/apis/get_model_metadata.proto", package: "tensorflow.serving",
    dependencies: [
      "google/protobuf/any.proto", "tensorflow/core/protobuf/meta_graph.proto",
      "tensorflow_serving/apis/model.proto",
    ],
    tables: """
      message SignatureDefMap
      1 map string .tensorflow.SignatureDef signature_def
      message GetModelMetadataRequest
      1 ModelSpec model_spec
      2 repeated string metadata_field
      message GetModelMetadataResponse
      1 ModelSpec model_spec
      2 map string .google.protobuf.Any metadata
      """)

  private static let servingModelStatus = ProtobufFile(
    "tensorflow_serving/apis/get_model_status.proto", package: "tensorflow.serving",
    dependencies: [
      "tensorflow_serving/apis/model.proto", "tensorflow_serving/util/status.proto",
    ],
    tables: """
      message GetModelStatusRequest
      1 ModelSpec model_spec
      message ModelVersionStatus
      1 int64 version
      2 ModelVersionStatus.State state
      3 StatusProto status
      message GetModelStatusResponse
      1 repeated ModelVersionStatus model_version_status
      enum ModelVersionStatus.State
      0 UNKNOWN
      10 START
      20 LOADING
      30 AVAILABLE
      40 UNLOADING
      50 END
      """)
}
