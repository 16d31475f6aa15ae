/**
 * How a blob is kept in a file: its bytes, then a trailer. So a range of the blob is the same range of the file.
 *
 * Trailer: the CRC32 of each piece of the bytes, then the foot: what the blob is as JSON, the length of that and its CRC32, and a mark.
 * The checksums of the pieces need no checksum of their own: one that is wrong fits no piece.
 */
import { crc32 } from 'node:zlib';
import type { BlobInfo } from '../pool-client/protocol.ts';

/** So many bytes have a checksum of their own, and none of them leaves before it was looked at: the least that a reader takes of memory. */
export const PIECE_BYTES = 64 * 1024;
export const CRC_BYTES = 4;

/** Of the format; another one has another mark. */
const MARK = Buffer.from('HFBLOB\0\x01', 'latin1');
/** Length, checksum, mark. */
const FOOT_END_BYTES = 8 + MARK.length;
/** A key of 1024 bytes, each written as \u0001, and the rest. */
const MOST_JSON_BYTES = 8 * 1024;
/** A foot is never longer. */
export const MOST_FOOT_BYTES = MOST_JSON_BYTES + FOOT_END_BYTES;

export const piecesOf = (size: number): number => Math.ceil(size / PIECE_BYTES);

export interface KeptBlob extends BlobInfo {
  /** When it was stored, as RFC 3339. */
  readonly at: string;
}

export function footOf({ key, size, sha256, at }: KeptBlob): Buffer {
  const json = Buffer.from(JSON.stringify({ key, size, sha256, at }));
  const end = Buffer.alloc(FOOT_END_BYTES);
  end.writeUInt32LE(json.length, 0);
  end.writeUInt32LE(crc32(end.subarray(0, 4), crc32(json)), 4);
  MARK.copy(end, 8);
  return Buffer.concat([json, end]);
}

/** It is written last: what does not end with it was never whole, or is no file of ours. */
export const hasMark = (tail: Buffer): boolean =>
  tail.length >= FOOT_END_BYTES && tail.subarray(-MARK.length).equals(MARK);

/** From the last bytes of a file; `fileBytes` are all that it has. Nothing if that is not how we keep a blob. */
export function parseFoot(tail: Buffer, fileBytes: number): KeptBlob | undefined {
  const end = tail.subarray(-FOOT_END_BYTES);
  if (!hasMark(tail)) return undefined;
  const length = end.readUInt32LE(0);
  if (length > tail.length - FOOT_END_BYTES) return undefined;
  const json = tail.subarray(tail.length - FOOT_END_BYTES - length, tail.length - FOOT_END_BYTES);
  if (crc32(end.subarray(0, 4), crc32(json)) !== end.readUInt32LE(4)) return undefined;
  const kept = JSON.parse(json.toString('utf8')) as KeptBlob; // nobody else has written what has this checksum
  return fileBytes === kept.size + piecesOf(kept.size) * CRC_BYTES + length + FOOT_END_BYTES ? kept : undefined;
}
