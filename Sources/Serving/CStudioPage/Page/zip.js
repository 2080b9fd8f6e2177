// Zip archives without compression, in which bundles are imported.

const MADE_IN_1980 = 0x21;

/** Returns an archive of files, which are `[path, bytes]`. */
export function zipArchive(files) {
  const encoder = new TextEncoder();
  const [parts, directory] = [[], []];
  let offset = 0;
  for (const [path, bytes] of files) {
    const name = encoder.encode(path);
    const header = fields(checksum(bytes), bytes.length, name.length);
    parts.push(record(0x04034b50, [[2, 20], ...header, [2, 0]]), name, bytes);
    const entry = [
      [2, 20],
      [2, 20],
      ...header,
      [2, 0],
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, offset],
    ];
    directory.push(record(0x02014b50, entry), name);
    offset += 30 + name.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const counts = [
    [2, files.length],
    [2, files.length],
  ];
  const end = record(0x06054b50, [[2, 0], [2, 0], ...counts, [4, size], [4, offset], [2, 0]]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

/** The fields that both kinds of headers have: UTF-8 names, no compression, a date, the checksum and the sizes. */
const fields = (sum, size, nameLength) => [
  [2, 0x0800],
  [2, 0],
  [2, 0],
  [2, MADE_IN_1980],
  [4, sum],
  [4, size],
  [4, size],
  [2, nameLength],
];

/** Returns the bytes of a record: its signature, and fields of 2 or 4 bytes. */
function record(signature, contents) {
  const bytes = [];
  for (const [length, value] of [[4, signature], ...contents]) {
    for (let index = 0; index < length; index += 1) bytes.push((value >>> (8 * index)) & 0xff);
  }
  return Uint8Array.from(bytes);
}

const checksums = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Returns the CRC-32 of bytes. */
export function checksum(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ checksums[(value ^ byte) & 0xff];
  return (value ^ 0xffffffff) >>> 0;
}
