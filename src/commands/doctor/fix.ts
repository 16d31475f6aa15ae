/** `holdfast doctor --fix`: puts right what can be put right without harm, after a question. */

import { type Fixable, fixablesIn } from '../../doctor/answer.ts';
import type { Fix, Judged } from '../../doctor/finding.ts';
import { nameOf } from '../../kit/kube/resource.ts';
import { visible } from '../../kit/visible.ts';
import type { Terminal } from '../line/command.ts';
import { confirm } from '../question.ts';
import type { Visitor } from '../visit.ts';

const FIELD_MANAGER = 'holdfast-doctor';

/** Says whether anything was changed. */
export async function fixAll(
  checks: readonly Judged[],
  visitor: Visitor,
  terminal: Terminal,
  yes: boolean,
): Promise<boolean> {
  const fixables = fixablesIn(checks);
  if (fixables.length === 0) {
    terminal.stderr.write('Nothing was found that can be put right without a person.\n');
    return false;
  }
  const list = fixables.map(({ finding, fix }) => `  ${fixInWords(fix)}: ${visible(finding.evidence)}\n`).join('');
  terminal.stderr.write(`To be put right:\n${list}`);
  if (!yes)
    await confirm(
      { question: 'Type fix to do so: ', word: 'fix', otherwise: 'nothing was changed' },
      terminal,
      visitor.signal,
    );
  for (const fixable of fixables) await fixOne(fixable, visitor, terminal);
  return true;
}

async function fixOne({ fix }: Fixable, visitor: Visitor, { stderr }: Terminal): Promise<void> {
  try {
    await carryOut(fix, visitor);
    stderr.write(`${fixInWords(fix)}: done\n`);
  } catch (error) {
    visitor.signal.throwIfAborted();
    stderr.write(`${fixInWords(fix)}: ${visible(error instanceof Error ? error.message : String(error))}\n`);
  }
}

async function carryOut(fix: Fix, { client, signal }: Visitor): Promise<void> {
  if (fix.does === 'apply')
    return void (await client.apply(fix.resource, fix.object, { fieldManager: FIELD_MANAGER, force: true, signal }));
  const { resource, ref, uid, resourceVersion } = fix;
  await client.delete(resource, ref, { preconditions: { uid, resourceVersion }, signal });
}

/** Such as `delete configmaps storage/old`. */
export function fixInWords(fix: Fix): string {
  if (fix.does === 'apply') return visible(`apply ${nameOf(fix.resource)} ${fix.object.metadata.name}`);
  const { namespace, name } = fix.ref;
  return visible(`delete ${nameOf(fix.resource)} ${namespace === undefined ? '' : `${namespace}/`}${name}`);
}
