import COptionalLibraries
import TensorIOSystem

/// Reads the elements and text of annotation XML with expat.
///
/// Attributes, comments and processing instructions are skipped. A document type declaration ends
/// the parser, so that no entity can be declared: only the five predefined entities and character
/// references are expanded. The encoding is UTF-8, whatever the text declares, unless it begins with
/// the byte order mark of UTF-16.
@safe final class XMLReader {
  private let functions: UnsafePointer<CExpatTable>
  private let parser: XML_Parser
  private let bytes: [UInt8]
  /// The position up to which lines have been counted.
  private var offset = 0
  private var line = 1
  private var lineStart = 0
  private var open: [XMLElement] = []
  /// The text bytes directly inside each open element.
  private var texts: [[UInt8]] = []
  private var root: XMLElement?
  private var elementCount = 0
  /// The error that made a handler stop the parser.
  private var handlerError: XMLParseError?

  /// Parses a text and returns its root element.
  static func read(_ bytes: [UInt8]) throws(XMLParseError) -> XMLElement {
    try XMLReader(bytes).document()
  }

  private init(_ bytes: [UInt8]) throws(XMLParseError) {
    func error(_ diagnostic: DataDiagnostic) -> XMLParseError {
      XMLParseError(diagnostic: diagnostic, line: 1, column: 1)
    }
    guard bytes.count <= XMLLimits.maxBytes else {
      throw error(.xmlTooLarge("bytes", limit: XMLLimits.maxBytes))
    }
    do throws(DynamicLibraryError) {
      unsafe functions = try ExpatLibrary.standard.functions
    } catch {
      throw XMLParseError(diagnostic: .xmlLibraryMissing(error), line: 1, column: 1)
    }
    guard let parser = unsafe functions.pointee.XML_ParserCreate("UTF-8") else {
      throw error(.xmlOutOfMemory)
    }
    unsafe self.parser = unsafe parser
    self.bytes = bytes
  }

  deinit {
    unsafe functions.pointee.XML_ParserFree(parser)
  }

  private func document() throws(XMLParseError) -> XMLElement {
    setHandlers()
    let status = unsafe bytes.withUnsafeBytes { bytes in
      unsafe functions.pointee.XML_Parse(
        parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), 1)
    }
    if let handlerError { throw handlerError }
    guard status == CExpatStatusOK, let root else { throw parserError }
    return root
  }

  private func setHandlers() {
    unsafe functions.pointee.XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe functions.pointee.XML_SetElementHandler(
      parser,
      { reader, name, _ in unsafe XMLReader.from(reader)?.startElement(name) },
      { reader, _ in unsafe XMLReader.from(reader)?.endElement() })
    unsafe functions.pointee.XML_SetCharacterDataHandler(parser) { reader, text, count in
      unsafe XMLReader.from(reader)?.append(UnsafeRawBufferPointer(start: text, count: Int(count)))
    }
    unsafe functions.pointee.XML_SetStartDoctypeDeclHandler(parser) { reader, _, _, _, _ in
      unsafe XMLReader.from(reader)?.rejectDoctype()
    }
  }

  private static func from(_ userData: UnsafeMutableRawPointer?) -> XMLReader? {
    unsafe userData.map { unsafe Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
  }
}

// MARK: Handlers, which expat may still call after it has been stopped

extension XMLReader {
  private func startElement(_ name: UnsafePointer<CChar>) {
    guard handlerError == nil else { return }
    advance(to: unsafe functions.pointee.XML_GetCurrentByteIndex(parser))
    guard open.count < XMLLimits.maxDepth else {
      return stop(.xmlTooLarge("nested elements", limit: XMLLimits.maxDepth))
    }
    elementCount += 1
    guard elementCount <= XMLLimits.maxElements else {
      return stop(.xmlTooLarge("elements", limit: XMLLimits.maxElements))
    }
    let name = unsafe String(cString: name)
    guard name.utf8.count <= XMLLimits.maxNameBytes else {
      return stop(.xmlTooLarge("bytes in a name", limit: XMLLimits.maxNameBytes))
    }
    open.append(XMLElement(name: name, line: line, column: offset - lineStart + 1))
    texts.append([])
  }

  private func endElement() {
    guard handlerError == nil, var element = open.popLast(), let text = texts.popLast() else {
      return
    }
    element.text = String(decoding: text, as: UTF8.self).trimmed
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  private func append(_ text: UnsafeRawBufferPointer) {
    guard handlerError == nil, !texts.isEmpty else { return }
    unsafe texts[texts.count - 1].append(contentsOf: text)
  }

  private func rejectDoctype() {
    guard handlerError == nil else { return }
    // expat has already passed the beginning of the declaration.
    let end = unsafe functions.pointee.XML_GetCurrentByteIndex(parser)
    advance(to: bytes.prefix(max(end, 0)).lastIndex(of: UInt8(ascii: "<")) ?? end)
    stop(.xmlDeclaration)
  }

  private func stop(_ diagnostic: DataDiagnostic) {
    handlerError = error(diagnostic)
    unsafe _ = functions.pointee.XML_StopParser(parser, 0)
  }
}

// MARK: Errors

extension XMLReader {
  /// The error that the parser found, with its location.
  private var parserError: XMLParseError {
    let code = unsafe Int(functions.pointee.XML_GetErrorCode(parser))
    let index = unsafe functions.pointee.XML_GetCurrentByteIndex(parser)
    // expat reports the name of an end tag, which follows `</`.
    advance(to: code == CExpatErrorTagMismatch ? index - 2 : index)
    switch code {
    case CExpatErrorNoMemory: return error(.xmlOutOfMemory)
    case CExpatErrorUndefinedEntity: return error(.xmlReference)
    case CExpatErrorInvalidToken where !isUTF8, CExpatErrorPartialCharacter:
      return error(.notUTF8)
    default:
      let message = unsafe functions.pointee.XML_ErrorString(Int32(code)).map {
        unsafe String(cString: $0)
      }
      let expected = code == CExpatErrorTagMismatch ? open.last.map { "</\($0.name)>" } : nil
      return error(.invalidXML(message ?? "invalid XML", expected: expected))
    }
  }

  private var isUTF8: Bool { String(validating: bytes, as: UTF8.self) != nil }

  private func error(_ diagnostic: DataDiagnostic) -> XMLParseError {
    XMLParseError(diagnostic: diagnostic, line: line, column: offset - lineStart + 1)
  }

  /// Counts lines up to a byte, which is never before an earlier one.
  private func advance(to end: Int) {
    while offset < min(end, bytes.count) {
      if bytes[offset] == UInt8(ascii: "\n") {
        line += 1
        lineStart = offset + 1
      }
      offset += 1
    }
  }
}
