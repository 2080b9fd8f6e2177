This is no protobuf.
