/**
 * The other side of the copy: each file comes after its length. It is fsynced, as `cp` and `sync` would, and one byte says so.
 * `copy-receiver.ts DIRECTORY`; it tells its parent on which port it listens.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { LENGTH_BYTES } from './copy-length.ts';

const [directory = '.'] = process.argv.slice(2);
let files = 0;

const server = createServer((socket) => {
  receive(socket).catch(() => socket.destroy());
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

async function receive(socket: Socket): Promise<void> {
  let file: FileHandle | undefined;
  let left = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    let bytes = chunk;
    if (!file) {
      file = await open(join(directory, `${files++}`), 'wx');
      left = chunk.readDoubleLE(); // the sender begins a file when it was told that the one before is kept: nothing comes before it
      bytes = chunk.subarray(LENGTH_BYTES);
    }
    if (bytes.length > 0) await file.writeFile(bytes);
    left -= bytes.length;
    if (left > 0) continue;
    await file.sync();
    await file.close();
    file = undefined;
    socket.write('.');
  }
}
