extension BundleManifest {
  private static let format = 1

  /// The text of the file, of which there is one for every manifest.
  package var bytes: [UInt8] {
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("format", Self.format)
      writer.member("id", id)
      writer.member("version", version)
      writer.member("files", array: { writer in files.forEach { $0.write(to: &writer) } })
    }
    return writer.bytes + [ASCII.lineFeed]
  }

  /// Reads the file, which must be written as it is written here, to the bit.
  package init(_ bytes: [UInt8]) throws(ModelError) {
    let limits = JSONLimits(bytes: Self.maximumBytes)
    guard let root = try? JSONDocument(parsing: bytes, limits: limits).root,
      root["format"]?.int == Int64(Self.format), let id = root["id"]?.string,
      let version = root["version"]?.string, let files = root["files"]?.elements
    else { throw .altered("\(Self.name) is no manifest of a format that is known") }
    (self.id, self.version) = (id, version)
    self.files = files.compactMap(File.init)
    guard self.bytes == bytes, isInOrder else {
      throw .altered("\(Self.name) is not written as manifests are")
    }
  }

  private var isInOrder: Bool {
    zip(files, files.dropFirst()).allSatisfy {
      $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
    }
  }
}

extension BundleManifest.File {
  fileprivate init?(_ node: JSONNode) {
    guard let path = node["path"]?.string, let digest = node["sha256"]?.string,
      let byteCount = node["bytes"]?.int.flatMap({ Int(exactly: $0) }), byteCount >= 0
    else { return nil }
    self.init(path: path, byteCount: byteCount, digest: digest)
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("path", path)
      writer.member("bytes", byteCount)
      writer.member("sha256", digest)
    }
  }
}
