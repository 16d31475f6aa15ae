/** What people should know of a node, but for what is said beside its devices and volume groups. */
import type { NodeRow } from '../../../src/console/model.ts';

export function remarksOf({ remarks, doubts = {} }: Pick<NodeRow, 'remarks' | 'doubts'>): readonly string[] {
  const said = new Set([doubts.devices, doubts.lvm]);
  return remarks.filter((remark) => !said.has(remark));
}
