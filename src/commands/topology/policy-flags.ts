/** The flags that say which volumes are labelled, and how: of the job itself, and of whoever looks at what it would do. */
import { ACCESS_MODES, type Policy, TOPOLOGY_LABELS } from '../../topology/contract.ts';
import { choice } from '../flags/choice.ts';
import { flag } from '../flags/flag.ts';
import { listOf } from '../flags/list.ts';
import type { OptionsOf } from '../flags/options.ts';
import { labelKey, labelSelector } from '../flags/selector.ts';
import { onOff } from '../flags/switch.ts';

export const policyFlags = {
  overwrite: flag(
    '--overwrite',
    'whether a label that has another value is replaced, also one of our own, or only what is missing is written',
    choice('always', 'missing'),
    { default: 'always' },
  ),
  multiZone: flag(
    '--multi-zone',
    'a volume that is used in several zones: name the set of them (a__b), stay with the first, or leave it alone',
    choice('set', 'first', 'skip'),
    { default: 'set' },
  ),
  accessModes: flag(
    '--access-modes',
    'label only volumes all of whose access modes are among these; otherwise all volumes',
    listOf(choice(...ACCESS_MODES)),
    { emptyIsUnset: true },
  ),
  labelKeys: flag(
    '--label-keys',
    'more labels to take over from the node, besides zone and region, where they have a value',
    listOf(labelKey),
    {
      emptyIsUnset: true,
    },
  ),
  selector: flag('-l, --selector', 'label only volumes whose own labels match', labelSelector, { emptyIsUnset: true }),
  nodeAffinity: flag(
    '--node-affinity',
    'also set the node affinity of ReadWriteOnce volumes that have none; it can never be changed afterwards',
    onOff,
    { default: 'false' },
  ),
};

export const policyOf = (options: OptionsOf<typeof policyFlags>, provenance = false): Policy => ({
  overwrite: options.overwrite,
  multiZone: options.multiZone,
  nodeAffinity: options.nodeAffinity,
  accessModes: options.accessModes ?? ACCESS_MODES,
  labelKeys: [...new Set([...TOPOLOGY_LABELS, ...(options.labelKeys ?? [])])],
  provenance,
});
