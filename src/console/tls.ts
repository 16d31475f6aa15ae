/** The certificate that a console shows, and its key: read from files, and read again when others have been put in their place. */
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Cancel, Clock } from '../kit/clock/clock.ts';
import { errorCode } from '../kit/host/file-error.ts';
import type { Log } from '../kit/observe/log.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Both PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** A Secret that is mounted is renewed within a minute or two; nobody waits for a certificate. */
const LOOK_EVERY_MS = 30_000;

/** Throws what is wrong with them: what cannot be read, is no certificate, or does not belong together. */
export async function readTlsPair({ certFile, keyFile }: TlsFiles): Promise<TlsPair> {
  const cert = await textOf(certFile, '--tls-cert-file');
  const key = await textOf(keyFile, '--tls-key-file');
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new Error(`${certFile} and ${keyFile} are not a certificate and its key`, { cause });
  }
  return { cert, key };
}

async function textOf(file: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Error(`${file} (${flag}) cannot be read: ${errorCode(cause)}`, { cause });
  }
}

/** Tells of each new pair. While the files are of no use, as between two writes, what was read last is kept. */
export function followTlsPair(
  files: TlsFiles,
  first: TlsPair,
  { clock, log, onPair }: { readonly clock: Clock; readonly log: Log; readonly onPair: (pair: TlsPair) => void },
): () => void {
  let known = first;
  let isOver = false;
  const look = async (): Promise<void> => {
    try {
      const pair = await readTlsPair(files);
      if (isOver || (pair.cert === known.cert && pair.key === known.key)) return;
      known = pair;
      onPair(pair);
      log.info({ certFile: files.certFile }, 'the certificate was renewed');
    } catch (err) {
      log.error({ err }, 'the certificate cannot be read again: the one from before is used');
    }
  };
  const again = (): Cancel =>
    clock.after(LOOK_EVERY_MS, async () => {
      await look();
      if (!isOver) cancel = again();
    });
  let cancel = again();
  return () => {
    isOver = true;
    cancel();
  };
}
