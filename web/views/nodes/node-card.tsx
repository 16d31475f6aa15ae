/** A node in the list: what people should know, and its storage at a glance. */
import type { NodeRow } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { HealthMark } from '../../parts/health-mark.tsx';
import { memo } from '../../parts/memo.ts';
import { counted } from '../../words/numbers.ts';
import { DeviceStrip } from './device-strip.tsx';
import { Doubt } from './doubt.tsx';
import { GroupBar } from './group-bar.tsx';
import { GroupNames } from './group-names.tsx';
import { remarksOf } from './remarks.ts';

export const NodeCard = memo(({ node }: { readonly node: NodeRow }) => {
  const page = usePage();
  const { name, zone, health, isReady, devices, groups, doubts } = node;
  const remarks = remarksOf(node);
  return (
    <li class="card node-card">
      <header>
        <HealthMark health={health} isBare />
        <h2>
          <a href={addressIn(page, { view: 'node', name })}>{name}</a>
        </h2>
        {!isReady && <span class="tag tag-failed">not ready</span>}
        {zone !== undefined && <span class="tag">{zone}</span>}
      </header>
      {remarks.length > 0 && (
        <ul class="remarks">
          {remarks.map((remark) => (
            <li key={remark}>{remark}</li>
          ))}
        </ul>
      )}
      <Doubt why={doubts?.devices} of="devices" isEmpty={devices.length === 0} />
      {devices.length > 0 && (
        <div class="node-part">
          <h3>{counted(devices.length, 'device')}</h3>
          <DeviceStrip devices={devices} />
        </div>
      )}
      <Doubt why={doubts?.lvm} of="volume groups" isEmpty={groups.length === 0} />
      {groups.map((group) => (
        <div class="node-part" key={group.name}>
          <GroupBar group={group} />
          <GroupNames group={group} />
        </div>
      ))}
      {devices.length === 0 && groups.length === 0 && !doubts && (
        <p class="quiet-text">No device or volume group of ours.</p>
      )}
    </li>
  );
});
