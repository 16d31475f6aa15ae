/** Claims that are smaller than the spec says grow one by one, each after the one before has got there. */
import type { Plan } from './plan.ts';
import { type Note, note } from './reasons.ts';
import { presentMembers, type Seen, type SeenClaim } from './seen.ts';

const GIB = 2n ** 30n;

/** Of all, or of the first so many. Nothing when these are as large as they should be. */
export function decideGrowth(seen: Seen, count?: number): Pick<Plan, 'actions' | 'notes'> | undefined {
  const gib = seen.pool.spec.pvSizeGB;
  const wanted = BigInt(gib) * GIB;
  const claims = presentMembers(seen)
    .slice(0, count)
    .flatMap(({ claim }) => claim ?? []);
  const only = (fact: Note) => ({ actions: [], notes: [fact] });
  const failed = claims.find(({ resizeFault }) => resizeFault !== undefined);
  if (failed) return only(note('ResizeFailed', `claim ${failed.name} does not grow: ${failed.resizeFault}`));
  const growing = claims.find(isGrowing);
  if (growing) return only(note('Growing', `claim ${growing.name} grows`));
  const next = claims.find(({ requestedBytes }) => requestedBytes < wanted);
  if (!next) return undefined;
  const objection = whyNotGrow(seen, next);
  if (objection) return only(objection);
  return {
    actions: [{ do: 'growClaim', claim: next, gib }],
    notes: [note('Growing', `claim ${next.name} grows to ${gib} GiB`)],
  };
}

/** What is left then is the filesystem's, which follows as soon as it is mounted, and keeps nobody waiting. */
const isGrowing = ({ isBound, requestedBytes, capacityBytes, isFilesystemPending }: SeenClaim): boolean =>
  isBound && capacityBytes < requestedBytes && !isFilesystemPending;

function whyNotGrow({ classes }: Seen, { name, isBound, className = '' }: SeenClaim): Note | undefined {
  if (!isBound) return note('Growing', `claim ${name} grows when it is bound`);
  if (classes.get(className)?.canExpand) return undefined;
  return note(
    'ClassDoesNotExpand',
    `claim ${name} cannot grow: its class ${className === '' ? '(none)' : className} does not allow it. Set allowVolumeExpansion of the class, or make a new pool`,
  );
}
