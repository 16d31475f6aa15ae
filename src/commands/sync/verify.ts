/** `holdfast sync verify`: looks through all exports of a cluster in a store, without any cluster. */
import type { Command } from 'commander';
import { stopSignals } from '../../kit/manager/stop-signals.ts';
import { visible } from '../../kit/visible.ts';
import { keysFrom } from '../../sync/export/keys.ts';
import { type Finding, verifyChain } from '../../sync/export/verify-chain.ts';
import { openStore } from '../../sync/store/open.ts';
import { flag } from '../flags/flag.ts';
import { runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import { text } from '../flags/text.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { formatted, outputFlag } from '../output.ts';
import { table } from '../table.ts';

const flags = {
  cluster: flag(
    '--cluster',
    'the name of the protected cluster, as in spec.protectedCluster',
    text('name', 'mycluster'),
    {
      required: true,
    },
  ),
  provider: flag('--provider', 'where exports are kept: azure, s3 or file', text('provider', 's3'), { default: 's3' }),
  all: flag('--all', 'show what is sound, too', onOff, { default: 'false' }),
  strict: flag('--strict', 'count as broken, too, what was written before signing began and so is not signed', onOff, {
    default: 'false',
  }),
  output: outputFlag,
};

export function addVerify(sync: Command, terminal: Terminal): void {
  const command = sync
    .command('verify')
    .usage('--cluster NAME [flags]')
    .summary('check all exports in a store, offline')
    .description(
      'Checks every export of a cluster in a store: that it is whole, that it is what its manifest says, that the manifests hang together, and that they are signed where SYNC_TRUSTED_KEYS says by whom, from the first that is signed on. Needs no cluster, and writes nothing. Ends with 1 when anything is broken, or when there is no export at all.',
    );
  addExamples(command, {
    'holdfast sync verify --cluster mycluster': 'with OBJECT_STORAGE_BUCKET and so on in the environment',
    'OBJECT_STORAGE_PATH=/exports holdfast sync verify --cluster mycluster --provider file --all':
      'of a directory, with all that is sound',
  });
  runs(command, flags, terminal, async ({ cluster, provider, all, strict, output }) => {
    const findings = await look({ cluster, provider, strict }, terminal);
    const shown = all ? findings : findings.filter(({ severity }) => severity !== 'sound');
    terminal.stdout.write(await formatted({ findings: shown }, output, () => asText(findings, shown)));
    const broken = findings.filter(({ severity }) => severity === 'broken').length;
    if (broken > 0) throw new Error(`${broken} of ${findings.length} things that were looked at are broken`);
  });
}

interface Asked {
  readonly cluster: string;
  readonly provider: string;
  readonly strict: boolean;
}

async function look({ cluster, provider, strict }: Asked, { env }: Terminal): Promise<readonly Finding[]> {
  using stopping = stopSignals(process, () => {});
  const keys = keysFrom(env);
  const store = await openStore(provider, env);
  try {
    return await Array.fromAsync(verifyChain(store, cluster, keys, stopping.signal, { isStrict: strict }));
  } finally {
    await store.close();
  }
}

export function asText(findings: readonly Finding[], shown: readonly Finding[]): string {
  const count = (severity: Finding['severity']) => findings.filter((each) => each.severity === severity).length;
  const rows = shown.map(({ severity, key, message }) => [severity, visible(key), visible(message)]);
  const summary = `${count('sound')} sound, ${count('note')} to note, ${count('broken')} broken\n`;
  return rows.length > 0 ? `${summary}\n${table([['', 'KEY', 'WHAT'], ...rows])}` : summary;
}
