extension ProtobufFile {
  /// The parts of model configurations that this server has.
  static let modelConfiguration = ProtobufFile(
    "model_config.proto", package: "inference",
    tables: """
      message ModelConfig
      1 string name
      2 string platform
      17 string backend
      3 ModelVersionPolicy version_policy
      4 int32 max_batch_size
      5 repeated ModelInput input
      6 repeated ModelOutput output
      11 ModelDynamicBatching dynamic_batching | scheduling_choice
      7 repeated ModelInstanceGroup instance_group
      14 map string ModelParameter parameters
      message ModelInput
      1 string name
      2 DataType data_type
      3 ModelInput.Format format
      4 repeated int64 dims
      message ModelOutput
      1 string name
      2 DataType data_type
      3 repeated int64 dims
      4 string label_filename
      message ModelVersionPolicy
      1 ModelVersionPolicy.Latest latest | policy_choice
      message ModelVersionPolicy.Latest
      1 uint32 num_versions
      message ModelInstanceGroup
      1 string name
      4 ModelInstanceGroup.Kind kind
      2 int32 count
      message ModelDynamicBatching
      1 repeated int32 preferred_batch_size
      2 uint64 max_queue_delay_microseconds
      message ModelParameter
      1 string string_value
      enum DataType
      0 TYPE_INVALID
      1 TYPE_BOOL
      2 TYPE_UINT8
      3 TYPE_UINT16
      4 TYPE_UINT32
      5 TYPE_UINT64
      6 TYPE_INT8
      7 TYPE_INT16
      8 TYPE_INT32
      9 TYPE_INT64
      10 TYPE_FP16
      11 TYPE_FP32
      12 TYPE_FP64
      13 TYPE_STRING
      14 TYPE_BF16
      enum ModelInput.Format
      0 FORMAT_NONE
      1 FORMAT_NHWC
      2 FORMAT_NCHW
      enum ModelInstanceGroup.Kind
      0 KIND_AUTO
      1 KIND_GPU
      2 KIND_CPU
      3 KIND_MODEL
      """)
}
