extension ProtobufSchema {
  /// The messages of all services of this server.
  static let standard = ProtobufSchema(
    [
      .any, .wrappers, .inference, .modelConfiguration, .health, .reflection("v1alpha"),
      .reflection("v1"),
    ] + ProtobufFile.tensorFlowFiles)
}

// The types that protobuf itself defines.
extension ProtobufFile {
  static let any = ProtobufFile(
    "google/protobuf/any.proto", package: "google.protobuf",
    tables: """
      message Any
      1 string type_url
      2 bytes value
      """)

  static let wrappers = ProtobufFile(
    "google/protobuf/wrappers.proto", package: "google.protobuf",
    tables: """
      message Int64Value
      1 int64 value
      """)
}

extension ProtobufFile {
  static let health = ProtobufFile(
    "grpc/health/v1/health.proto", package: "grpc.health.v1",
    tables: """
      message HealthCheckRequest
      1 string service
      message HealthCheckResponse
      1 HealthCheckResponse.ServingStatus status
      enum HealthCheckResponse.ServingStatus
      0 UNKNOWN
      1 SERVING
      2 NOT_SERVING
      3 SERVICE_UNKNOWN
      """)

  /// Both versions of server reflection have the same messages.
  static func reflection(_ version: String) -> ProtobufFile {
    ProtobufFile(
      "grpc/reflection/\(version)/reflection.proto", package: "grpc.reflection.\(version)",
      tables: """
        message ServerReflectionRequest
        1 string host
        3 string file_by_filename | message_request
        4 string file_containing_symbol | message_request
        5 ExtensionRequest file_containing_extension | message_request
        6 string all_extension_numbers_of_type | message_request
        7 string list_services | message_request
        message ExtensionRequest
        1 string containing_type
        2 int32 extension_number
        message ServerReflectionResponse
        1 string valid_host
        2 ServerReflectionRequest original_request
        4 FileDescriptorResponse file_descriptor_response | message_response
        5 ExtensionNumberResponse all_extension_numbers_response | message_response
        6 ListServiceResponse list_services_response | message_response
        7 ErrorResponse error_response | message_response
        message FileDescriptorResponse
        1 repeated bytes file_descriptor_proto
        message ExtensionNumberResponse
        1 string base_type_name
        2 repeated int32 extension_number
        message ListServiceResponse
        1 repeated ServiceResponse service
        message ServiceResponse
        1 string name
        message ErrorResponse
        1 int32 error_code
        2 string error_message
        """)
  }
}
