/** `holdfast blob stat KEY`: what is known of a blob, and which agents have it. */
import type { Command } from 'commander';
import type { BlobInfo } from '../../pool-client/protocol.ts';
import { runs } from '../flags/options.ts';
import type { Terminal } from '../line/command.ts';
import { formatted, outputFlag } from '../output.ts';
import { shown } from '../page/render.ts';
import { poolFlags, withPool } from './agents.ts';
import { noSuchBlob } from './no-such-blob.ts';

const flags = { ...poolFlags, output: outputFlag };

interface Standing extends BlobInfo {
  /** Several while it moves, and after a move that was cut off. */
  readonly agents: readonly string[];
}

export function addStat(blob: Command, terminal: Terminal): void {
  const command = blob
    .command('stat')
    .usage('KEY [flags]')
    .summary('how large a blob is, and where')
    .description('The size and the SHA-256 of a blob, and which agents have it.')
    .argument('<key>', 'what it was stored under');
  runs(command, flags, terminal, async (options) => {
    const [key = ''] = command.args;
    await withPool(options, terminal, async (client, signal) => {
      const found = await client.head(key, { signal });
      if (!found) throw noSuchBlob(key);
      const holders = await client.holders(key, { signal });
      const standing = { ...found.info, agents: holders.map(({ agent }) => agent) };
      terminal.stdout.write(await formatted(standing, options.output, inWords));
    });
  });
}

const inWords = ({ key, size, sha256, agents }: Standing): string =>
  `key:     ${shown(key)}\nsize:    ${size}\nsha256:  ${sha256}\nagents:  ${agents.map(shown).join(', ')}\n`;
