/**
 * The other side of the copy: every so many bytes of a connection are a file. It is fsynced, as `cp` and `sync` would, and one byte says so.
 * `copy-receiver.ts DIRECTORY BYTES`; it tells its parent on which port it listens.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

const [directory = '.', size = '0'] = process.argv.slice(2);
const sizeBytes = Number(size);
let files = 0;

const server = createServer((socket) => {
  receive(socket).catch(() => socket.destroy());
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

async function receive(socket: Socket): Promise<void> {
  let file: FileHandle | undefined;
  let left = 0;
  for await (const bytes of socket as AsyncIterable<Buffer>) {
    if (!file) {
      file = await open(join(directory, `${files++}`), 'wx');
      left = sizeBytes;
    }
    await file.writeFile(bytes);
    left -= bytes.length;
    if (left > 0) continue;
    await file.sync();
    await file.close();
    file = undefined;
    socket.write('.');
  }
}
