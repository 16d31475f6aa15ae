/** What goes over the serial line of a guest, in both directions: many conversations at once, each frame is of one of them. */

export type FrameKind = (typeof KINDS)[number];

const KINDS = [
  /** Says that the guest is there, and hears. */
  'hello',
  /** How many more bytes the guest has taken from the line. */
  'heard',
  /** Begins a conversation: what is asked for is in JSON, a `Request`. */
  'open',
  /** Bytes: to the input of a program and from its output, or of a connection. */
  'data',
  /** Bytes from the error output of a program. */
  'error',
  /** No more bytes from this side. */
  'end',
  /** A signal for a program, by its name. */
  'signal',
  /** Ends a conversation: in JSON, an `Ending`. */
  'close',
] as const;

export type Request =
  | { readonly run: readonly string[]; readonly env: Readonly<Record<string, string>> }
  /** The other side is to connect to this port of its loopback. */
  | { readonly connect: number }
  /** The other side is to listen at this port of its loopback, until the conversation is closed. */
  | { readonly listen: number };

export interface Ending {
  /** The exit code of a program, or the signal that ended it. */
  readonly status?: number | string;
  /** Why it did not come to anything. */
  readonly failure?: string;
}

export interface Frame {
  readonly conversation: number;
  readonly kind: FrameKind;
  readonly body: Buffer;
}

const HEADER_BYTES = 9;

export function encode({ conversation, kind, body }: Frame): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(conversation, 0);
  header.writeUInt8(KINDS.indexOf(kind), 4);
  header.writeUInt32BE(body.length, 5);
  return Buffer.concat([header, body]);
}

/** Puts frames together again, wherever the line has cut them. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #wanted = HEADER_BYTES;

  /** The frames that are complete with this piece. */
  *push(piece: Buffer): Generator<Frame> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    while (this.#bytes >= this.#wanted) {
      const bytes = Buffer.concat(this.#pieces);
      const size = HEADER_BYTES + bytes.readUInt32BE(5);
      if (bytes.length >= size) yield this.#take(bytes, size);
      else this.#keep(bytes, size);
    }
  }

  #take(bytes: Buffer, size: number): Frame {
    this.#keep(bytes.subarray(size), HEADER_BYTES);
    const kind = KINDS[bytes.readUInt8(4)];
    if (!kind) throw new Error(`there is no frame of kind ${bytes.readUInt8(4)}: the line has lost or made up bytes`);
    return { conversation: bytes.readUInt32BE(0), kind, body: bytes.subarray(HEADER_BYTES, size) };
  }

  #keep(bytes: Buffer, wanted: number): void {
    this.#pieces = [bytes];
    this.#bytes = bytes.length;
    this.#wanted = wanted;
  }
}
