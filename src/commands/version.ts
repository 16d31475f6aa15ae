/** `holdfast version`: which build this is, and what it runs on. */
import { buildInfo } from '../kit/build-info.ts';
import { runs } from './flags/options.ts';
import type { Define } from './line/command.ts';
import { addExamples } from './line/help.ts';
import { formatted, outputFlag } from './output.ts';

interface Version {
  readonly version: string;
  readonly commit?: string;
  readonly node: string;
  readonly platform: string;
}

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast version': 'for people',
    'holdfast version --output json': 'for a script or a bug report',
  });
  runs(command, { output: outputFlag }, terminal, async ({ output }) => {
    terminal.stdout.write(await formatted(currentVersion(), output, asText));
  });
};

function currentVersion(): Version {
  const { version, commit } = buildInfo();
  const platform = `${process.platform}/${process.arch}`;
  return { version, ...(commit !== undefined && { commit }), node: process.version, platform };
}

const asText = ({ version, commit, node, platform }: Version): string =>
  `holdfast ${version}${commit ? ` (commit ${commit})` : ''}\nnode ${node} on ${platform}\n`;
