/** How `kubectl get pods` tells how a pod is. */
import { type ApiObject, listAt, textAt, valueAt } from '../api-object.ts';
import type { Json } from '../json.ts';
import { ago } from './columns.ts';

export function readyOf(object: ApiObject): string {
  const ready = statusesOf(object).filter(
    (status) => valueAt(status, 'ready') === true && valueAt(status, 'state', 'running'),
  );
  return `${ready.length}/${listAt(object, 'spec', 'containers').length}`;
}

/** The word that says most: what a container waits for or ended with, or else the phase. */
export function statusOf(object: ApiObject): string {
  const isLost = textAt(object, 'status', 'reason') === 'NodeLost';
  if (object.metadata.deletionTimestamp) return isLost ? 'Unknown' : 'Terminating';
  return (
    initializing(object) ??
    troubled(object) ??
    (textAt(object, 'status', 'reason') || textAt(object, 'status', 'phase'))
  );
}

export function restartsOf(object: ApiObject, now: Date): string {
  const statuses = statusesOf(object);
  const count = statuses.reduce((sum: number, status) => sum + Number(valueAt(status, 'restartCount') ?? 0), 0);
  const ends = statuses
    .map((status) => textAt(status, 'lastState', 'terminated', 'finishedAt'))
    .filter(Boolean)
    .sort();
  const last = ends.at(-1);
  return count > 0 && last ? `${count} (${ago(last, now)} ago)` : `${count}`;
}

const statusesOf = (object: ApiObject): readonly Json[] => listAt(object, 'status', 'containerStatuses');

function initializing(object: ApiObject): string | undefined {
  const statuses = listAt(object, 'status', 'initContainerStatuses');
  const index = statuses.findIndex((status) => valueAt(status, 'state', 'terminated', 'exitCode') !== 0);
  if (index < 0) return undefined;
  const status = statuses[index];
  const reason = textAt(status, 'state', 'terminated', 'reason') || textAt(status, 'state', 'waiting', 'reason');
  if (reason !== '' && reason !== 'PodInitializing') return `Init:${reason}`;
  return `Init:${index}/${listAt(object, 'spec', 'initContainers').length}`;
}

function troubled(object: ApiObject): string | undefined {
  const words = statusesOf(object).map(
    (status) => textAt(status, 'state', 'waiting', 'reason') || textAt(status, 'state', 'terminated', 'reason'),
  );
  return words.find((word) => word !== '');
}
